import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel, Worker } from 'node:worker_threads';
import { BUSY_TIMEOUT, SqliteConnection, type SharedFile } from './sqlite-connection.js';
import type { WriterMessage, WriterOptions } from './sqlite-writer.worker.js';

/**
 * `version` is stored in the file. `FULL`: a commit is on disk before it is acknowledged; `NORMAL`: a power failure may lose the last
 * ones.
 */
export type SqliteSchema = Readonly<{ version: number; sql: string; synchronous: 'FULL' | 'NORMAL' }>;

/** A newer version of the program wrote the file, or it is not a database of this kind. */
export class UnusableFile extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UnusableFile';
  }
}

/** An SQLite file and the thread that writes it. The process that owns the file has one; its other threads connect to it. */
export class SqliteFile extends SqliteConnection {
  readonly #thread: SqliteWriterThread;

  /** Creates the file, readable only by its owner, and missing tables. Throws `UnusableFile`. */
  constructor(path: string, schema: SqliteSchema) {
    prepareFile(path, schema);
    const transactions = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const { synchronous } = schema;
    const thread = new SqliteWriterThread({ path, synchronous, busyTimeout: BUSY_TIMEOUT, transactions });
    super(thread.connect());
    this.#thread = thread;
  }

  /** Returns what another thread needs for a `SqliteConnection` to this file. It must close that before this file is closed. */
  share(): SharedFile {
    return this.#thread.connect();
  }

  /** Calls `listener` after a transaction, at least if another thread may have written. */
  onWritten(listener: () => void): void {
    this.#thread.onWritten(listener);
  }

  /** Closes this connection, then the file. The write-ahead log is then empty, unless another program has the file open. */
  override async close(): Promise<void> {
    await super.close();
    // The last connection to close checkpoints the write-ahead log, which a read-only one cannot.
    await this.#thread.close();
  }
}

function prepareFile(path: string, { version, sql }: SqliteSchema): void {
  let database: DatabaseSync | undefined;
  createPrivateFile(path);
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (found > version) {
      throw new UnusableFile(
        `${path} has schema ${found}, but this version only supports schema ${version}. Start the newer version again, or restore the backup from before the upgrade`,
      );
    }
    database.exec(`PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`);
  } catch (cause) {
    if (cause instanceof UnusableFile) throw cause;
    throw new UnusableFile(`cannot use ${path} as a database: ${(cause as Error).message}`, { cause });
  } finally {
    database?.close();
  }
}

/**
 * Creates an empty file with mode 0600 if it does not exist. SQLite uses the same mode for its companions (-wal, -shm, -journal). An
 * existing file is not opened: closing it would release this process's locks on it.
 */
function createPrivateFile(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It exists, or SQLite reports why it cannot be created.
  }
}

/** The thread that writes one SQLite file. If it ends by itself, all ports close. */
class SqliteWriterThread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #hasExited = false;

  constructor(private readonly options: WriterOptions) {
    // Tests run the TypeScript sources, everything else the compiled file.
    const file = import.meta.url.endsWith('.ts') ? './sqlite-writer.worker.ts' : './sqlite-writer.worker.js';
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: options });
    // Each store on the file may listen.
    this.#worker.setMaxListeners(0);
    // The ports report the end of the thread to their users, without the reason.
    this.#worker.on('error', ({ message }) => process.emitWarning(`the writer of ${options.path} stopped: ${message}`));
    this.#exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
    void this.#exited.then(() => (this.#hasExited = true));
  }

  /** Returns what a `SqliteConnection` in any thread of the process needs. */
  connect(): SharedFile {
    const { port1, port2 } = new MessageChannel();
    // A message to an ended thread would neither transfer nor close the port.
    if (this.#hasExited) port1.close();
    else this.#worker.postMessage({ port: port1 } satisfies WriterMessage, [port1]);
    const { path, transactions } = this.options;
    return { path, transactions, port: port2 };
  }

  /** Calls `listener` after each transaction once there are several ports. */
  onWritten(listener: () => void): void {
    this.#worker.on('message', listener);
  }

  /** Closes the file and the ports. Their jobs must be finished. */
  async close(): Promise<void> {
    this.#worker.postMessage('close' satisfies WriterMessage);
    await this.#exited;
  }
}
