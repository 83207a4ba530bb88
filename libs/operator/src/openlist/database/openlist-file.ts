import { reasonOf } from '@keyfold/reporting';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { constants, gunzipSync } from 'node:zlib';

/** The file cannot be imported; the message says why and what to do. */
export class UnusableOpenlistDatabase extends Error {
  override readonly name = 'UnusableOpenlistDatabase';
}

/** How long to wait while OpenList writes (milliseconds). */
const LOCK_TIMEOUT = 5_000;
/** Maximum size of a row, in bytes. SQLite fails to read a larger one. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 4_096;

/** The beginnings of other files, and their kinds. A dump begins with comments of the program that wrote it. */
const otherKinds: readonly (readonly [begin: RegExp, kind: string])[] = [
  [/^PGDMP/, 'a dump of PostgreSQL'],
  [/^(?:--[^\n]*\n|\s)*-- PostgreSQL database dump/, 'a dump of PostgreSQL'],
  [/^(?:\/\*M?!|-- (?:MySQL|MariaDB) dump)/, 'a dump of MySQL'],
  [/^\s*\{/, 'a backup of OpenList, which contains no passwords'],
];
const SQLITE = /^SQLite format 3\0/;
/** The byte that is 2 in a file with a write-ahead log (https://sqlite.org/fileformat2.html#file_format_version_numbers). */
const READ_VERSION = 19;

/** Opens a SQLite database of another program, which may be hostile. Never writes it. Throws `UnusableOpenlistDatabase`. */
export function openOpenlistFile(path: string): DatabaseSync {
  let advice = NAME_THE_FILE;
  let file: DatabaseSync | undefined;
  try {
    // Opening a pipe would block.
    if (!statSync(path).isFile()) throw new UnusableOpenlistDatabase(`${path} is not a file. ${NAME_THE_FILE}`);
    const head = headOf(path);
    if (head.isCompressed || !SQLITE.test(head.text)) throw notSqlite(path, head);
    const hasLog = head.text.charCodeAt(READ_VERSION) === 2;
    if (hasLog)
      advice = `It has a write-ahead log, so SQLite must be able to write ${path}-shm. Stop OpenList and copy the file, with ${path}-wal if there is one, to a folder that you can write`;
    file = new DatabaseSync(path, { readOnly: true, timeout: LOCK_TIMEOUT, limits: { length: MAX_ROW_BYTES } });
    // Neither its functions nor its constraints are evaluated.
    file.exec('PRAGMA trusted_schema = OFF; PRAGMA ignore_check_constraints = ON');
    if (hasLog) file.exec('SELECT 1 FROM sqlite_schema');
    return file;
  } catch (error) {
    file?.close();
    if (error instanceof UnusableOpenlistDatabase) throw error;
    throw new UnusableOpenlistDatabase(`cannot read ${path}: ${reasonOf(error)}. ${advice}`);
  }
}

const NAME_THE_FILE = 'Name the file data.db of OpenList';

type Head = Readonly<{ text: string; isCompressed: boolean }>;

/** Returns the beginning of the file, decompressed. */
function headOf(path: string): Head {
  const bytes = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    const head = bytes.subarray(0, readSync(file, bytes, 0, HEAD_BYTES, 0));
    const isCompressed = head[0] === 0x1f && head[1] === 0x8b;
    return { text: (isCompressed ? gunzipped(head) : head).toString('latin1'), isCompressed };
  } finally {
    closeSync(file);
  }
}

/** Decompresses the beginning of a file, which may be damaged. */
function gunzipped(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 1_024 * HEAD_BYTES });
  } catch {
    return Buffer.alloc(0);
  }
}

function notSqlite(path: string, { text, isCompressed }: Head): UnusableOpenlistDatabase {
  if (isCompressed && SQLITE.test(text))
    return new UnusableOpenlistDatabase(`${path} is compressed. Decompress it first with gunzip`);
  const [, kind] = otherKinds.find(([begin]) => begin.test(text)) ?? [];
  const what = kind ?? (text === '' && !isCompressed ? 'empty' : 'no SQLite database');
  return new UnusableOpenlistDatabase(
    `${path} is ${what}. ${NAME_THE_FILE}. If OpenList uses MySQL or PostgreSQL, first convert its database to SQLite, ` +
      `for example with db-to-sqlite: load a dump into a server, then run ` +
      `db-to-sqlite <URL of the database> data.db --table x_users --table x_ssh_public_keys --table x_setting_items, and --table x_roles for AList 3.46 or later`,
  );
}
