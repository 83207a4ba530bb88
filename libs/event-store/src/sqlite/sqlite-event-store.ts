import { LRUCache } from 'lru-cache';
import type { SQLInputValue } from 'node:sqlite';
import type { Commit, NewCommit } from '../commit.js';
import { COMPACTION, voidStreamOf, type StreamCompaction } from '../compaction.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../event-store.errors.js';
import {
  type CommitHistory,
  type HistoryRange,
  type HistoryEntry,
  Counter,
  EventStore,
  type Appended,
  type FoundHold,
  replayed,
  type StreamPoint,
} from '../event-store.js';
import type { CommitFeed } from '../feed/commit-feed.js';
import type { SqliteAccess } from './sqlite-connection.js';
import { SqliteFile, type SqliteSchema } from './sqlite-file.js';
import type { Row, WriteStatement } from './sqlite-writer.worker.js';

const IS_NOT_VOID = "events <> '[]'";

export const eventStoreSchema: SqliteSchema = {
  version: 1,
  synchronous: 'FULL',
  sql: `
    CREATE TABLE IF NOT EXISTS commits (
      position INTEGER PRIMARY KEY, partition TEXT NOT NULL, stream TEXT NOT NULL, version INTEGER NOT NULL,
      command_id TEXT NOT NULL UNIQUE, command_type TEXT NOT NULL, command_hash TEXT NOT NULL,
      at INTEGER NOT NULL, actor TEXT NOT NULL, correlation TEXT NOT NULL, causation TEXT, traceparent TEXT,
      events TEXT NOT NULL, holds TEXT, session TEXT, client_correlation TEXT, UNIQUE (stream, version)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS holds (key TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS commits_partition_at ON commits (partition, at);
    CREATE INDEX IF NOT EXISTS commits_at ON commits (at) WHERE ${IS_NOT_VOID}`,
};

/** The conditions are part of the statement: a commit must directly follow the last one of its stream, which must not be compacted. */
const INSERT_COMMIT = `
  INSERT INTO commits (position, partition, stream, version, command_id, command_type, command_hash, at, actor,
    correlation, causation, traceparent, events, holds, session, client_correlation)
  SELECT (SELECT coalesce(max(position), 0) + 1 FROM commits), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15
  WHERE (SELECT coalesce(max(version), 0) FROM commits WHERE stream = ?2) = ?3 - 1
    AND (?3 > 1 OR NOT EXISTS (SELECT 1 FROM commits WHERE stream = '${voidStreamOf('')}' || ?2))
  RETURNING position`;
/** Takes a hold for the commit that was inserted last. */
export const INSERT_HOLD = 'INSERT INTO holds (key, position) VALUES (?, last_insert_rowid())';

/** A void commit keeps the position, version, time and holds, and the id and hash of the command. */
export const MAKE_VOID = `
  UPDATE commits SET partition = 'void-0', stream = '${voidStreamOf('')}' || stream, command_type = '${COMPACTION}',
    actor = 'compaction', correlation = command_id, causation = NULL, traceparent = NULL, session = NULL,
    client_correlation = NULL, events = '[]'
  WHERE stream = ? RETURNING position`;
const RELEASE_HOLDS = `
  DELETE FROM holds WHERE key IN (SELECT value FROM commits, json_each(holds) WHERE stream IN (?1, '${voidStreamOf('')}' || ?1))`;
const EMPTY_VOID = `UPDATE commits SET holds = NULL, command_hash = '' WHERE stream = '${voidStreamOf('')}' || ?`;

/** The event store of one process, in one file, for one of its threads. It has one slot. */
export class SqliteEventStore extends EventStore implements CommitFeed, CommitHistory, StreamCompaction {
  readonly slots = 1;
  readonly #versions: LatestVersions;
  readonly #listeners = new Set<() => void>();

  constructor(private readonly file: SqliteAccess) {
    super();
    this.#versions = new LatestVersions(file);
    if (file instanceof SqliteFile) file.onWritten(() => this.#wake());
  }

  slotOf(): number {
    return 0;
  }

  append(commit: NewCommit): Promise<Appended> {
    return this.appends.measure(commit, () => this.#append(commit));
  }

  async #append(commit: NewCommit): Promise<Appended> {
    const holds = commit.holds ?? [];
    const statements: WriteStatement[] = [
      { sql: INSERT_COMMIT, params: commitParams(commit), mustChange: true },
      ...holds.map((key) => ({ sql: INSERT_HOLD, params: [key] })),
    ];
    const result = await this.file.write(statements, this.appends.batches);
    if ('rows' in result) {
      this.#versions.appended(commit, Number(result.rows[0]![0]!['position']), result.ownTransaction);
      this.#wake();
      return { outcome: 'appended', commit };
    }
    const earlier = await this.findCommand(commit.command.id);
    if (earlier?.command.hash === commit.command.hash) return replayed(earlier);
    if (earlier) throw new CommandIdReused(commit.command.id);
    this.#versions.forget(commit.stream);
    if (result.refusedAt === 0) throw new WrongExpectedVersion(commit.stream, commit.version);
    throw new HoldTaken(holds[result.refusedAt - 1]!);
  }

  async readStreams(points: readonly StreamPoint[]): Promise<Commit[]> {
    const sql = 'SELECT * FROM commits WHERE stream = ? AND version > ? ORDER BY version';
    return points.flatMap(({ stream, version }) => {
      if (this.#versions.isLatest(stream, version)) return [];
      const commits = this.file.read(sql, stream, version).map(toCommit);
      this.#versions.reached(stream, commits.at(-1)?.version ?? version);
      return commits;
    });
  }

  override isCurrent(points: readonly StreamPoint[]): boolean {
    return points.every(({ stream, version }) => this.#versions.isLatest(stream, version));
  }

  async findCommands(ids: readonly string[]): Promise<Commit[]> {
    const sql = 'SELECT * FROM commits WHERE command_id IN (SELECT value FROM json_each(?))';
    return this.file.read(sql, JSON.stringify(ids)).map(toCommit);
  }

  async findHolds(keys: readonly string[]): Promise<string[]> {
    const sql = 'SELECT key FROM holds WHERE key IN (SELECT value FROM json_each(?))';
    return this.file.read(sql, JSON.stringify(keys)).map(({ key }) => String(key));
  }

  async findLastHold(prefix: string): Promise<FoundHold | undefined> {
    // U+10FFFF sorts after every key with the prefix, in byte order.
    const sql = `SELECT key, stream, at FROM holds JOIN commits USING (position)
      WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1`;
    return this.file
      .read(sql, prefix, `${prefix}\u{10FFFF}`)
      .map(({ key, stream, at }) => ({ key: String(key), stream: String(stream), at: Number(at) }))[0];
  }

  async readFeed(_slot: number, after: number, limit: number): Promise<Commit[]> {
    return this.file
      .read('SELECT * FROM commits WHERE position > ? ORDER BY position LIMIT ?', after, limit)
      .map(toCommit);
  }

  async readHistory({ partition, from = 0, before }: HistoryRange, limit: number): Promise<HistoryEntry[]> {
    const { at, key } = before ?? { at: Number.MAX_SAFE_INTEGER, key: 0 };
    const isInRange = `at >= ? AND (at, position) < (?, ?) AND ${IS_NOT_VOID} ORDER BY at DESC, position DESC LIMIT ?`;
    const rows =
      partition === undefined
        ? this.file.read(`SELECT * FROM commits WHERE ${isInRange}`, from, at, key, limit)
        : this.file.read(`SELECT * FROM commits WHERE partition = ? AND ${isInRange}`, partition, from, at, key, limit);
    return rows.map(toCommit).map((commit) => ({ cursor: { at: commit.at, key: commit.position }, commit }));
  }

  async readHeads(): Promise<Map<number, number>> {
    const [last] = this.file.read('SELECT coalesce(max(position), 0) AS position FROM commits');
    return new Map([[0, Number(last!['position'])]]);
  }

  async slotsWithNews(positions: ReadonlyMap<number, number>): Promise<number[]> {
    const heads = await this.readHeads();
    return [...positions].filter(([slot, position]) => (heads.get(slot) ?? 0) > position).map(([slot]) => slot);
  }

  /** There are no holes, because one writer assigns the positions. */
  async closeHoles(): Promise<number> {
    return 0;
  }

  compact(streams: readonly string[]): Promise<number> {
    return this.#makeVoid(streams, [MAKE_VOID]);
  }

  erase(streams: readonly string[]): Promise<number> {
    return this.#makeVoid(streams, [RELEASE_HOLDS, MAKE_VOID, EMPTY_VOID]);
  }

  /** Runs these statements for each stream, in one transaction. */
  async #makeVoid(streams: readonly string[], statements: readonly string[]): Promise<number> {
    const replaced = await this.file.writeAll(
      streams.flatMap((stream) => statements.map((sql) => ({ sql, params: [stream] }))),
    );
    for (const stream of streams) this.#versions.forget(stream);
    return replaced.flat().length;
  }

  onAppended(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  #wake(): void {
    for (const wake of this.#listeners) wake();
  }
}

export class SqliteCounter extends Counter {
  constructor(private readonly file: SqliteAccess) {
    super();
  }

  async take(name: string, count: number, start: number): Promise<number> {
    const sql = `INSERT INTO counters (name, next) VALUES (?1, ?3 + ?2)
      ON CONFLICT (name) DO UPDATE SET next = next + ?2 RETURNING next - ?2 AS first`;
    const [rows] = await this.file.writeAll([{ sql, params: [name, count, start] }]);
    return Number(rows![0]!['first']);
  }

  async read(): Promise<Map<string, number>> {
    const rows = this.file.read('SELECT name, next FROM counters');
    return new Map(rows.map(({ name, next }) => [String(name), Number(next)]));
  }
}

/** Returns the parameters 1 to 15 of an insert into `commits`. */
export function commitParams(commit: NewCommit): SQLInputValue[] {
  const { partition, stream, version, command, at, actor, correlation, causation, traceparent, events, holds } = commit;
  const { session, clientCorrelation } = commit;
  return [
    partition,
    stream,
    version,
    command.id,
    command.type,
    command.hash,
    at,
    actor,
    correlation,
    causation ?? null,
    traceparent ?? null,
    JSON.stringify(events),
    holds?.length ? JSON.stringify(holds) : null,
    session ?? null,
    clientCorrelation ?? null,
  ];
}

function toCommit(row: Row): Commit {
  const { session, client_correlation: clientCorrelation, causation, traceparent, holds } = row;
  return {
    position: Number(row['position']),
    partition: String(row['partition']),
    stream: String(row['stream']),
    version: Number(row['version']),
    command: { id: String(row['command_id']), type: String(row['command_type']), hash: String(row['command_hash']) },
    at: Number(row['at']),
    actor: String(row['actor']),
    ...(session === null ? {} : { session: String(session) }),
    correlation: String(row['correlation']),
    ...(clientCorrelation === null ? {} : { clientCorrelation: String(clientCorrelation) }),
    ...(causation === null ? {} : { causation: String(causation) }),
    ...(traceparent === null ? {} : { traceparent: String(traceparent) }),
    events: JSON.parse(String(row['events'])) as Commit['events'],
    ...(holds === null ? {} : { holds: JSON.parse(String(holds)) as string[] }),
  };
}

const REMEMBERED_STREAMS = 50_000;
/** Commits that are read at once. A thread that is further behind forgets all versions. */
const CATCH_UP = 1_000;

/**
 * Caches the latest versions of recently used streams, so that a reader that has the latest version need not query the file. Only one
 * process writes the file, and its threads share the number of transactions. A cached version is therefore exact once the thread has read
 * the commits since its last look.
 */
class LatestVersions {
  readonly #versions = new LRUCache<string, number>({ max: REMEMBERED_STREAMS });
  #transactions: number;
  #position: number;

  constructor(private readonly file: SqliteAccess) {
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

  /** Records a commit of this thread. If nothing else was written since the last look, the file need not be read for it. */
  appended({ stream, version }: StreamPoint, position: number, ownTransaction: number | undefined): void {
    this.reached(stream, version);
    if (ownTransaction === undefined) return;
    // All commits of a transaction pass here before any of them is acknowledged.
    if (this.#transactions !== ownTransaction - 1 && this.#transactions !== ownTransaction) return;
    this.#transactions = ownTransaction;
    this.#position = Math.max(this.#position, position);
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
