import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format } from 'prettier';
import { expect } from 'vitest';

const DOCS = resolve(import.meta.dirname, '../../docs');

/** Expects that a generated page below `docs` is up to date. With `WRITE_DOCS=1` (`npm run docs`) it is written instead. */
export async function expectPage(path: string, markdown: string): Promise<void> {
  const file = resolve(DOCS, path);
  const text = await format(markdown, { parser: 'markdown', printWidth: 120 });
  if (process.env['WRITE_DOCS']) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8'), `${path} is stale: run "npm run docs"`).toBe(text);
}

/** Returns a markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
