import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { BUSY_TIMEOUT, SqliteConnection, type SharedFile } from './sqlite-connection.js';
import type { WriterMessage, WriterReport } from './sqlite-writer.worker.js';

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

/** An SQLite file that this process owns. Its other threads connect to it. */
export class SqliteFile extends SqliteConnection {
  readonly #thread: SqliteWriterThread;

  /** Creates the file, readable only by its owner, and missing tables. `thread` may write other files, too. Throws `UnusableFile`. */
  constructor(path: string, schema: SqliteSchema, thread = new SqliteWriterThread()) {
    prepareFile(path, schema);
    super(thread.open(path, schema.synchronous));
    this.#thread = thread;
  }

  /** Returns what another thread needs for a `SqliteConnection` to this file. It must close that before this file is closed. */
  share(): SharedFile {
    return this.#thread.connect(this.path, this.sharedTransactions);
  }

  /** Calls `listener` after a transaction, at least if another thread may have written. */
  onWritten(listener: () => void): void {
    this.#thread.onWritten(this.path, listener);
  }

  /** Closes this connection, then the file. The write-ahead log is then empty, unless another program has the file open. */
  override async close(): Promise<void> {
    await super.close();
    // The last connection to close checkpoints the write-ahead log, which a read-only one cannot.
    await this.#thread.close(this.path);
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

/** The thread that writes the SQLite files of a process. It starts with the first file and ends with the last. If it ends by itself, all ports close. */
export class SqliteWriterThread {
  #worker: Worker | undefined;
  #exited = Promise.resolve();
  #hasExited = false;
  /** The open files. */
  readonly #paths = new Set<string>();

  /** Opens a file and returns what the owner of the process needs for a `SqliteConnection` to it. */
  open(path: string, synchronous: SqliteSchema['synchronous']): SharedFile {
    const transactions = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#worker ??= this.#start();
    this.#paths.add(path);
    this.#post({ open: { path, synchronous, busyTimeout: BUSY_TIMEOUT, transactions } });
    return this.connect(path, transactions);
  }

  /** Returns what a `SqliteConnection` in any thread of the process needs. */
  connect(path: string, transactions: SharedFile['transactions']): SharedFile {
    const { port1, port2 } = new MessageChannel();
    // A message to an ended thread would neither transfer nor close the port.
    if (this.#hasExited) port1.close();
    else this.#post({ path, port: port1 }, [port1]);
    return { path, transactions, port: port2 };
  }

  /** Calls `listener` after each transaction of a file once it has several ports. */
  onWritten(path: string, listener: () => void): void {
    this.#worker?.on('message', (report: WriterReport) => {
      if ('written' in report && report.written === path) listener();
    });
  }

  /** Closes a file and its ports, whose jobs must be finished. Ends the thread with the last file. */
  async close(path: string): Promise<void> {
    this.#paths.delete(path);
    const closed = this.#paths.size === 0 ? this.#exited : Promise.race([this.#closed(path), this.#exited]);
    this.#post({ close: path });
    await closed;
  }

  /** Closes what is open and ends the thread. */
  async end(): Promise<void> {
    await Promise.all([...this.#paths].map((path) => this.close(path)));
  }

  #closed(path: string): Promise<void> {
    return new Promise((resolve) =>
      this.#worker?.on('message', (report: WriterReport) => {
        if ('closed' in report && report.closed === path) resolve();
      }),
    );
  }

  #start(): Worker {
    // Tests run the TypeScript sources, everything else the compiled file.
    const file = import.meta.url.endsWith('.ts') ? './sqlite-writer.worker.ts' : './sqlite-writer.worker.js';
    const worker = new Worker(new URL(file, import.meta.url));
    // Each store on a file may listen.
    worker.setMaxListeners(0);
    // The ports report the end of the thread to their users, without the reason.
    worker.on('error', ({ message }) => process.emitWarning(`the writer of the database stopped: ${message}`));
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    void this.#exited.then(() => (this.#hasExited = true));
    return worker;
  }

  #post(message: WriterMessage, transfer: readonly MessagePort[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }
}
