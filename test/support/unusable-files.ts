import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type File = 'keyfold.db' | 'views.db';

const change = (file: File, sql: string) => (folder: string) => {
  const database = new DatabaseSync(join(folder, file));
  database.exec(sql);
  database.close();
};
const replace = (file: File) => (folder: string) => writeFileSync(join(folder, file), 'no database'.repeat(100));
/** Overwrites everything behind the first page, which has the header and the schema. */
const damage = (file: File) => (folder: string) => {
  const content = readFileSync(join(folder, file));
  writeFileSync(join(folder, file), content.fill(0xff, 4_096));
};

/** Ways to make the files of a stopped store unusable, with the message of a command for each. */
export const unusableFiles: readonly (readonly [title: string, spoil: (folder: string) => void, problem: RegExp])[] = [
  ['views.db that is no database', replace('views.db'), /cannot use .*views\.db as a database/],
  ['views.db of a newer version', change('views.db', 'PRAGMA user_version = 99'), /views\.db has schema 99/],
  ['views.db with damaged pages', damage('views.db'), /cannot \w+ .*views\.db/],
  [
    'views.db that is ahead of keyfold.db',
    change('views.db', "INSERT INTO checkpoints VALUES ('reader', 0, 999999)"),
    /views\.db in .* is ahead of keyfold\.db/,
  ],
  ['keyfold.db that is no database', replace('keyfold.db'), /cannot \w+ .*keyfold\.db as a database/],
  ['keyfold.db of a newer version', change('keyfold.db', 'PRAGMA user_version = 99'), /keyfold\.db has schema 99/],
  ['keyfold.db with damaged pages', damage('keyfold.db'), /cannot \w+ .*keyfold\.db/],
];
