import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = globSync('{*.md,docs/**/*.md,deploy/**/*.md,test/contract/**/*.md}', {
  cwd: ROOT,
  exclude: ['**/node_modules'],
});

it('the links of the documentation lead somewhere', () => {
  expect(PAGES.length).toBeGreaterThan(100);
  expect(PAGES.flatMap(brokenLinksOf)).toEqual([]);
});

/** Returns the links of a page that lead to no file or heading, each after the name of the page. */
function brokenLinksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^ *```$/gm, '');
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    .filter(([, path = '', anchor]) => {
      const target = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), path);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).has(anchor));
    })
    .map(([link]) => `${page} ${link}`);
}

/** Returns GitHub's anchors of the headings of a page. */
function anchorsOf(file: string): Set<string> {
  if (statSync(file).isDirectory()) return new Set();
  return new Set(
    [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
