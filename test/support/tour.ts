import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const tour = readFileSync(resolve(import.meta.dirname, '../../docs/use/tour.md'), 'utf8');
const blocks = [...tour.matchAll(/^```(sh)?\n([^]*?)^```$/gm)].map(([, kind, lines = '']) => ({ kind, lines }));

/** The blocks of the tour to paste, without the installation. */
export const tourCommands = blocks
  .filter(({ kind, lines }) => kind === 'sh' && !lines.startsWith('sudo'))
  .map(({ lines }) => lines);

/** The answers that the tour prints below the blocks. */
export const tourAnswers = blocks.filter(({ kind }) => kind === undefined).map(({ lines }) => lines);

/**
 * Returns a pattern of the printed answers. An ellipsis matches anything; a fingerprint matches any, as long as all are
 * equal.
 */
export function patternOf(printed: string): RegExp {
  const [before = '', ...rest] = printed.split(/SHA256:[\w+/]{43}/).map(literally);
  return new RegExp(`^${before}(?<fingerprint>SHA256:[\\w+/]{43})${rest.join('\\k<fingerprint>')}$`);
}

const literally = (printed: string) => printed.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*');
