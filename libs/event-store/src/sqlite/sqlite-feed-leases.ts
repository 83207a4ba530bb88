import { FeedLeases, type Lease, type SlotProgress } from '../feed/feed-leases.js';
import type { SqliteAccess } from './sqlite-connection.js';

/** Table of the readers' checkpoints. */
export const feedPositionsTable = `CREATE TABLE IF NOT EXISTS checkpoints (
    reader TEXT NOT NULL, slot INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (reader, slot)) STRICT`;

/** The file belongs to one process. It is the only member of each reader, gets every slot and never loses one. */
export class SqliteFeedLeases extends FeedLeases {
  readonly #owners = new Map<string, string>();

  constructor(private readonly file: SqliteAccess) {
    super();
  }

  async join(_reader: string, owner: string): Promise<string[]> {
    return [owner];
  }

  async take(reader: string, owner: string, slots: readonly number[]): Promise<Lease[]> {
    const known = new Map((await this.progress(reader)).map(({ slot, position }) => [slot, position]));
    const added = slots.filter((slot) => !known.has(slot));
    if (added.length > 0) {
      const sql = 'INSERT INTO checkpoints VALUES (?, ?, 0) ON CONFLICT (reader, slot) DO NOTHING';
      await this.file.writeAll(added.map((slot) => ({ sql, params: [reader, slot] })));
    }
    for (const slot of slots) this.#owners.set(keyOf(reader, slot), owner);
    return slots.map((slot) => ({ reader, slot, owner, epoch: 1, position: known.get(slot) ?? 0 }));
  }

  async release(leases: readonly Lease[]): Promise<void> {
    for (const { reader, slot } of leases) this.#owners.delete(keyOf(reader, slot));
  }

  async remove(leases: readonly Lease[]): Promise<void> {
    await this.release(leases);
    const sql = 'DELETE FROM checkpoints WHERE reader = ? AND slot = ?';
    await this.file.writeAll(leases.map(({ reader, slot }) => ({ sql, params: [reader, slot] })));
  }

  async leave(): Promise<void> {}

  async advance({ reader, slot }: Lease, position: number): Promise<void> {
    const sql = `INSERT INTO checkpoints VALUES (?, ?, ?)
      ON CONFLICT (reader, slot) DO UPDATE SET position = max(position, excluded.position)`;
    await this.file.writeAll([{ sql, params: [reader, slot, position] }]);
  }

  async readers(): Promise<string[]> {
    return [...new Set([...this.#owners.keys()].map((key) => key.slice(0, key.lastIndexOf('/'))))];
  }

  async now(): Promise<number> {
    return Date.now();
  }

  async progress(reader: string): Promise<SlotProgress[]> {
    return this.file
      .read('SELECT slot, position FROM checkpoints WHERE reader = ? ORDER BY slot', reader)
      .map((row) => ({ slot: Number(row['slot']), position: Number(row['position']) }))
      .map((progress) => ({ ...progress, owner: this.#owners.get(keyOf(reader, progress.slot)) }));
  }
}

const keyOf = (reader: string, slot: number) => `${reader}/${slot}`;
