import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Returns the links of a page below a folder that lead to no file in it, or to no heading, each after the name of the page. */
export function brokenLinksOf(root: string, page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^ *```$/gm, '');
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    .filter(([, path = '', anchor]) => {
      const target = path === '' ? join(root, page) : resolve(root, dirname(page), path);
      return (
        !target.startsWith(root) || !existsSync(target) || (anchor !== undefined && !anchorsOf(target).has(anchor))
      );
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
