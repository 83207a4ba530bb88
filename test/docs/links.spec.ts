import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { brokenLinksOf } from '../support/broken-links.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = globSync('{*.md,docs/**/*.md,deploy/**/*.md,test/contract/**/*.md}', {
  cwd: ROOT,
  exclude: ['**/node_modules'],
});

it('the links of the documentation lead somewhere', () => {
  expect(PAGES.length).toBeGreaterThan(100);
  expect(PAGES.flatMap((page) => brokenLinksOf(ROOT, page))).toEqual([]);
});
