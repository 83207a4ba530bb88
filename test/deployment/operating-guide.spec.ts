import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const PROJECT = resolve(import.meta.dirname, '../..');

it('every row of what happens when something is away names tests that exist', () => {
  const guide = readFileSync(resolve(PROJECT, 'docs/operating.md'), 'utf8');
  const [, section = ''] = guide.split('## When something is away');
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => /^\| (?!-|away )/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const tests = [...row.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = '']) => path);
    expect(tests, row).not.toEqual([]);
    for (const path of tests) expect(existsSync(resolve(PROJECT, path)), path).toBe(true);
  }
});
