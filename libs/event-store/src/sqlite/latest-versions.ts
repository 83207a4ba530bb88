import { LRUCache } from 'lru-cache';
import type { SqliteConnection } from './sqlite-connection.js';

const REMEMBERED_STREAMS = 50_000;
/** Commits that are read at once. A thread that is further behind forgets all versions. */
const CATCH_UP = 1_000;

/**
 * Caches the latest versions of recently used streams, so that a reader that has the latest version need not query the file. Only one
 * process writes the file, and its threads share the number of transactions. A cached version is therefore exact once the thread has read
 * the commits since its last look.
 */
export class LatestVersions {
  readonly #versions = new LRUCache<string, number>({ max: REMEMBERED_STREAMS });
  #transactions: number;
  #position: number;

  constructor(private readonly file: SqliteConnection) {
    this.#transactions = file.transactions;
    this.#position = this.#lastPosition();
  }

  /** Returns whether the stream is known to have no commit after this version that was acknowledged to any thread. */
  isLatest(stream: string, version: number): boolean {
    this.#catchUp();
    return this.#versions.get(stream) === version;
  }

  /** Call after a conflict: the file is queried again. */
  forget(stream: string): void {
    this.#versions.delete(stream);
  }

  /** Records that the stream has at least this version. */
  reached(stream: string, version: number): void {
    if ((this.#versions.peek(stream) ?? -1) < version) this.#versions.set(stream, version);
  }

  /** Reads what was committed since the last call. Costs no query if nothing was. */
  #catchUp(): void {
    const { transactions } = this.file;
    if (transactions === this.#transactions) return;
    const sql = 'SELECT position, stream, version FROM commits WHERE position > ? ORDER BY position LIMIT ?';
    const commits = this.file.read(sql, this.#position, CATCH_UP);
    if (commits.length === CATCH_UP) {
      this.#versions.clear();
      this.#position = this.#lastPosition();
    } else {
      for (const { position, stream, version } of commits) {
        this.#position = Number(position);
        // Other streams are queried when they are needed.
        if (this.#versions.has(String(stream))) this.reached(String(stream), Number(version));
      }
    }
    this.#transactions = transactions;
  }

  #lastPosition(): number {
    const [last] = this.file.read('SELECT coalesce(max(position), 0) AS position FROM commits');
    return Number(last!['position']);
  }
}
