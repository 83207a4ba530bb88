import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseSync } from 'node:sqlite';

/** A validated message; `stream`, `version` and `index` are the parts of `id`. */
export type KeyfoldEvent = Readonly<{
  id: string;
  type: string;
  data: string;
  seen: { stream: string; version: number; index: number };
}>;

/** Changes a row only if the event is newer than all events already seen in its stream. */
const ADVANCE = `INSERT INTO seen VALUES (:stream, :version, :index) ON CONFLICT (stream) DO UPDATE
  SET version = :version, event_index = :index WHERE (:version, :index) > (version, event_index)`;

/** Effect of each event type. Other and unknown types are only added to the history. */
const EFFECTS = new Map([
  [
    'ssh-key.added',
    `REPLACE INTO keys SELECT :data ->> 'keyId', :data ->> 'accountId', :data ->> 'publicKey', :data ->> 'expires'`,
  ],
  ['ssh-key.expiry-changed', `UPDATE keys SET expires = :data ->> 'expires' WHERE id = :data ->> 'keyId'`],
  ['ssh-key.removed', `DELETE FROM keys WHERE id = :data ->> 'keyId'`],
  ['account.registered', `REPLACE INTO disabled SELECT :data ->> 'accountId' WHERE :data ->> 'disabled'`],
  ['account.disabled', `REPLACE INTO disabled SELECT :data ->> 'accountId'`],
  ['account.enabled', `DELETE FROM disabled WHERE account = :data ->> 'accountId'`],
  ['account.deleted', `DELETE FROM keys WHERE account = :data ->> 'accountId'`],
]);

@Injectable()
export class KeyTable implements OnApplicationShutdown {
  readonly #db = new DatabaseSync(process.env['DATABASE'] ?? 'keys.db', { timeout: 5_000 });

  constructor() {
    this.#db.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS seen (stream TEXT PRIMARY KEY, version INTEGER, event_index INTEGER);
      CREATE TABLE IF NOT EXISTS history (number INTEGER PRIMARY KEY, id TEXT, type TEXT, data TEXT);
      CREATE TABLE IF NOT EXISTS keys (id PRIMARY KEY, account, public_key, expires);
      CREATE TABLE IF NOT EXISTS disabled (account PRIMARY KEY);`);
  }

  /** Returns the event in a message, or undefined if Keyfold cannot have sent it. */
  eventOf(headers: Readonly<Record<string, unknown>>, data: string): KeyfoldEvent | undefined {
    const { cloudEvents_id: id, cloudEvents_type: type } = headers;
    if (typeof id !== 'string' || typeof type !== 'string') return undefined;
    const [, stream, version, index] = /^(.+):(\d{1,15}):(\d{1,9})$/.exec(id) ?? [];
    const isJson = this.#db.prepare('SELECT 1 WHERE json_valid(:data)').get({ data }) !== undefined;
    if (!stream || !isJson) return undefined;
    return { id, type, data, seen: { stream, version: Number(version), index: Number(index) } };
  }

  /** Stores effect and progress in one transaction: both or neither. Returns whether the event was new. */
  apply({ id, type, data, seen }: KeyfoldEvent): boolean {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const isNew = this.#db.prepare(ADVANCE).run(seen).changes > 0;
      const effect = EFFECTS.get(type);
      const history = this.#db.prepare('INSERT INTO history (id, type, data) VALUES (:id, :type, :data)');
      if (isNew) history.run({ id, type, data });
      if (isNew && effect) this.#db.prepare(effect).run({ data });
      this.#db.exec('COMMIT');
      return isNew;
    } finally {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    }
  }

  onApplicationShutdown(): void {
    this.#db.close();
  }
}
