import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** The terms of the glossary, each with the paths and names in its last column. */
const rows = readFileSync(join(ROOT, 'docs/reference/glossary.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').slice(1, -1))
  .map(([term = '', , where = '']) => ({
    term: term.trim(),
    where: [...where.matchAll(/`([^`]+)`/g)].map(([, code]) => code!),
  }))
  .filter(({ where }) => where.length > 0);

/** Returns the files of a path, which may be a folder or a pattern. */
function filesOf(path: string): string[] {
  const found = globSync(/^(apps|test)\//.test(path) ? path : `libs/${path}`, { cwd: ROOT }).map((each) =>
    join(ROOT, each),
  );
  return found.flatMap((each) => (statSync(each).isDirectory() ? globSync(join(each, '**/*.{ts,json}')) : [each]));
}

const isPath = (code: string) => code.includes('/');

describe('the glossary', () => {
  it('has few terms', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.length).toBeLessThanOrEqual(60);
  });

  it.each(rows)('names existing code for "$term"', ({ where }) => {
    const files = where.filter(isPath).map((path) => [path, filesOf(path)] as const);
    for (const [path, found] of files) expect(found, path).not.toEqual([]);
    const source = files
      .flatMap(([, found]) => found)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const code of where.filter((each) => !isPath(each))) {
      const [name = '', ...members] = code.split('.');
      // A capitalised name must be exported. A lower-case one may also be a method or a field.
      const declared = /^[A-Z]/.test(name) ? `export [a-z ]+ ${name}\\b` : `\\b${name}\\b`;
      expect(source, code).toMatch(new RegExp(declared));
      for (const member of members) expect(source, code).toMatch(new RegExp(`\\b${member}\\(`));
    }
  });
});
