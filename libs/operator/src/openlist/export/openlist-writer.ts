import type { ListedSetting } from '@keyfold/application';
import { flush } from '@keyfold/process';
import { reasonOf } from '@keyfold/reporting';
import { openlistHashOf, staticHash } from '@keyfold/security';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { saltWith } from '../import/import-marks.js';
import type { ExportedAccount } from './export-accounts.js';
import { OPENLIST_SCHEMA } from './openlist-schema.js';

/** A password hash of OpenList with its salt. */
type StoredPassword = Readonly<{ hash: string; salt: string }>;

/** The files cannot be written; the message says why and what to do. */
export class UnwritableExport extends Error {
  override readonly name = 'UnwritableExport';
}

/**
 * Writes a new database of OpenList, and beside it the new passwords. Both have other names until `finish`. Only their owner can read them.
 * Every method throws `UnwritableExport`.
 */
export class OpenlistWriter {
  readonly passwordsPath: string;
  /** How many accounts and keys were added, and how many accounts got a new password. */
  readonly counts = { accounts: 0, keys: 0, settings: 0, newPasswords: 0 };
  readonly #parts: readonly string[];
  readonly #passwords: number;
  readonly #database: DatabaseSync;
  readonly #user: StatementSync;
  readonly #key: StatementSync;
  readonly #setting: StatementSync;
  /** Removes the parts if the process exits before the end. */
  readonly #onExit = () => this[Symbol.dispose]();

  constructor(readonly path: string) {
    this.passwordsPath = `${path}.passwords`;
    this.#parts = [partOf(path), partOf(this.passwordsPath)];
    // A part may be that of another export that runs.
    for (const name of [path, this.passwordsPath, ...this.#parts])
      if (existsSync(name))
        throw new UnwritableExport(`${name} exists already. Name a new file, or move that one away`);
    process.once('exit', this.#onExit);
    this.#database = this.#writing(() => {
      closeSync(openSync(partOf(path), 'wx', 0o600));
      return new DatabaseSync(partOf(path));
    });
    this.#passwords = this.#writing(() => openSync(partOf(this.passwordsPath), 'wx', 0o600));
    // No other process opens the file, which is complete or removed.
    this.#writing(() =>
      this.#database.exec(
        `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN; ${OPENLIST_SCHEMA.join(';')}`,
      ),
    );
    const insert = (table: string, columns: number, texts: readonly number[]) =>
      this.#database.prepare(`INSERT INTO ${table} VALUES (${placeholders(columns, texts)})`);
    this.#user = insert('x_users', 14, [1, 6, 11]);
    this.#key = insert('x_ssh_public_keys', 7, [2, 4]);
    this.#setting = insert('x_setting_items', 8, [1]);
  }

  addSetting({ key, value, help, type, options, group, flag, index }: ListedSetting): void {
    this.#writing(() => this.#setting.run(key, bytesOfText(value), help, type, options, group, flag, index));
    this.counts.settings++;
  }

  /** Adds an account with its keys. Without its old password it gets a new one. */
  addAccount(account: ExportedAccount, oldPassword: StoredPassword | undefined): void {
    this.#writing(() => {
      const { id, username, basePath, role, disabled, permission, secret, ssoId, allowLdap, passwordTimestamp, keys } =
        account;
      const { hash, salt } = oldPassword ?? this.#newPassword(account);
      const [name, path, sso] = [username, basePath, ssoId].map(bytesOfText) as [Buffer, Buffer, Buffer];
      const flags = [Number(disabled), permission] as const;
      this.#user.run(
        id,
        name,
        hash,
        passwordTimestamp,
        salt,
        '',
        path,
        role,
        ...flags,
        secret,
        sso,
        '[]',
        Number(allowLdap),
      );
      for (const { title, line, fingerprint, addedAt } of keys) {
        const added = new Date(addedAt).toISOString().replace('T', ' ').replace('Z', '+00:00');
        this.#key.run(null, id, bytesOfText(title), fingerprint, bytesOfText(line), added, added);
      }
      this.counts.accounts++;
      this.counts.keys += keys.length;
    });
  }

  /** Sets the last id that any account has had. OpenList gives higher ones to new accounts. */
  setLastId(id: number): void {
    this.#writing(() =>
      this.#database
        .prepare("UPDATE sqlite_sequence SET seq = max(seq, CAST(? AS INTEGER)) WHERE name = 'x_users'")
        .run(id),
    );
  }

  /** Gives the files their names, the passwords first: a database is never without them. */
  finish(): void {
    this.#writing(() => {
      this.#database.exec('COMMIT');
      this.#database.close();
      fsyncSync(this.#passwords);
      closeSync(this.#passwords);
      flush(partOf(this.path));
      if (this.counts.newPasswords > 0) publish(this.passwordsPath);
      try {
        publish(this.path);
      } catch (error) {
        if (this.counts.newPasswords > 0) rmSync(this.passwordsPath);
        throw error;
      }
      flush(dirname(this.path));
    });
    this[Symbol.dispose]();
  }

  /** Removes what is not finished. */
  [Symbol.dispose](): void {
    process.off('exit', this.#onExit);
    for (const part of this.#parts) rmSync(part, { force: true });
  }

  #newPassword({ id, username, exportMark }: ExportedAccount): StoredPassword {
    const password = randomBytes(12).toString('base64url');
    writeSync(this.#passwords, `${JSON.stringify({ id, username, password })}\n`);
    this.counts.newPasswords++;
    const salt = saltWith(exportMark);
    return { hash: openlistHashOf(staticHash(password), salt), salt };
  }

  #writing<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (error) {
      this[Symbol.dispose]();
      throw new UnwritableExport(
        `cannot write ${this.path}: ${reasonOf(error)}. Name a new file in a folder with enough space`,
      );
    }
  }
}

const partOf = (path: string) => `${path}.part`;

/** Gives a finished file its name, unless another program has created one meanwhile. */
function publish(path: string): void {
  if (existsSync(path)) throw new Error(`${path} exists`);
  renameSync(partOf(path), path);
}

/** Texts that may be malformed are passed as bytes. */
const placeholders = (columns: number, texts: readonly number[]) =>
  Array.from({ length: columns }, (_, index) => (texts.includes(index) ? 'CAST(? AS TEXT)' : '?')).join(', ');

/** Returns a text as OpenList stores it. An unpaired surrogate stands for a byte of malformed UTF-8 (wire contract 1.9). */
function bytesOfText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const bytes = Array.from(text, (letter) =>
    letter >= '\udc80' && letter <= '\udcff' ? Buffer.of(letter.charCodeAt(0) - 0xdc00) : Buffer.from(letter),
  );
  return Buffer.concat(bytes);
}
