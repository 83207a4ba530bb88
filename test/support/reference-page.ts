import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, type Options } from 'prettier';
import { expect } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Expects that a generated page below `docs` is up to date. With `WRITE_DOCS=1` (`npm run docs`) it is written instead. */
export const expectPage = (path: string, markdown: string): Promise<void> =>
  expectGenerated(`docs/${path}`, markdown, { parser: 'markdown' });

/** Expects the same of any file. */
export async function expectGenerated(path: string, source: string, options: Options): Promise<void> {
  const file = resolve(ROOT, path);
  const text = await format(source, { ...options, printWidth: 120 });
  if (process.env['WRITE_DOCS']) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8'), `${path} is stale: run "npm run docs"`).toBe(text);
}

/** Returns a markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/** Returns a number with commas: 16,384. */
export const count = (number: number): string => number.toLocaleString('en-US');

/** Returns a size in the largest unit that divides it: 16 KiB, 600 bytes. */
export function bytes(size: number): string {
  const [unit, factor] = UNITS.find(([, each]) => size % each === 0)!;
  return `${count(size / factor)} ${unit}`;
}

const UNITS = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['bytes', 1],
] as const;

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
