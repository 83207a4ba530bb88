import { MessageChannel, Worker } from 'node:worker_threads';
import type { SharedFile } from './sqlite-connection.js';
import type { WriterMessage, WriterOptions } from './sqlite-writer.worker.js';

/** The thread that writes one SQLite file. If it ends by itself, all ports close. */
export class SqliteWriterThread {
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
