import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** Matches block comments, and groups of consecutive line comments. */
const COMMENT = /\/\*([^]*?)\*\/|(?<=^|\s)\/\/(.*(?:\n[ \t]*\/\/.*)*)/g;

/** Wordings that hide the subject of a sentence or are not English. */
const RULES = [
  { pattern: /^(What|Who|Whoever|Whose|Where)\b/, instead: 'begin with the thing itself or with a verb' },
  { pattern: /\bwhoever\b/i, instead: 'name the actor' },
  { pattern: /\bshall\b/i, instead: 'write "must", "can" or the present tense' },
  { pattern: /\bis told\b/i, instead: 'write "gets" or "is notified"' },
  { pattern: /\b(the|an) own\b/i, instead: 'name the owner: "its own", "the client\'s own"' },
  { pattern: /\bis away\b/i, instead: 'write "is down"' },
  { pattern: /\bthrows one line\b/i, instead: 'write "rejects with a one-line error"' },
];

const files = globSync('{apps,libs,scripts,test}/**/*.{ts,mjs}', { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] })
  .filter((file) => resolve(ROOT, file) !== import.meta.filename)
  .toSorted();

/** Returns the comments of a source, each on one line and without its delimiters. */
const commentsOf = (source: string) =>
  [...source.matchAll(COMMENT)].map(([, block, lines]) =>
    (block ?? lines ?? '')
      .replace(/\s*\n[ \t]*(\*|\/\/)?\s*/g, ' ')
      .replace(/^\*/, '')
      .trim(),
  );

it('comments are written in plain words', () => {
  const found = files.flatMap((file) =>
    commentsOf(readFileSync(resolve(ROOT, file), 'utf8')).flatMap((comment) =>
      RULES.filter(({ pattern }) => pattern.test(comment)).map(({ instead }) => `${file}: "${comment}": ${instead}`),
    ),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

it.each([
  ['/** What a relay needs. */', 'What a relay needs.'],
  ['/**\n * Pages shall\n * load.\n */', 'Pages shall load.'],
  ["const url = 'http://host'; // The own host.", 'The own host.'],
  ['  // One line\n  // and another.\n  call();', 'One line and another.'],
])('finds the comment of %j', (source, comment) => {
  expect(commentsOf(source)).toEqual([comment]);
});
