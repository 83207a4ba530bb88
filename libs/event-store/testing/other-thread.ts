import { createBirpc, type BirpcReturn } from 'birpc';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { AppendCounts } from '../src/append-counts.js';
import * as errors from '../src/event-store.errors.js';
import type { SqliteFile } from '../src/sqlite/sqlite-file.js';

type Refusal = Readonly<{ name: string; message: string }>;
type Called = Readonly<{ result?: unknown; refusal?: Refusal; appends?: AppendCounts }>;
type Calls = {
  call(adapter: string, method: string, args: unknown): Called;
  close(): void;
};
/** The thread that gets the first call of all that alternate. */
export type FirstThread = 'owner' | 'other';

/** One thread for all connections of a test file, because it takes a second to load the sources. */
let worker: Worker | undefined;

/** The connection of another thread to a file that this thread owns, and the adapters on that connection. */
export class OtherThread {
  readonly #port: MessagePort;
  readonly #calls: BirpcReturn<Calls>;
  #asked: number;
  #closed: Promise<void> | undefined;
  /** The statistics of the thread's event store at its last answer. */
  appends = new AppendCounts();

  /** `module` is the source that exports the classes of the adapters. */
  constructor(file: SqliteFile, module: URL, first: FirstThread = 'owner') {
    const shared = file.share();
    const { port1, port2 } = new MessageChannel();
    worker ??= startWorker();
    worker.postMessage({ file: shared, module: module.href, port: port2 }, [shared.port, port2]);
    this.#port = port1;
    this.#asked = first === 'owner' ? 0 : 1;
    this.#calls = createBirpc<Calls>(
      {},
      {
        post: (message) => port1.postMessage(message),
        on: (receive) => void port1.on('message', receive),
        timeout: -1,
      },
    );
  }

  /**
   * Returns an adapter whose calls of these methods alternate between the adapter of the owner and one of the same class in the other
   * thread. A call with a function as argument, and those of all other methods, go to the owner.
   */
  alternating<Adapter extends object>(own: Adapter, methods: readonly (keyof Adapter & string)[]): Adapter {
    return new Proxy(own, {
      get: (_, name) => {
        const value: unknown = Reflect.get(own, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const isShared = methods.some((method) => method === name) && !args.some((arg) => typeof arg === 'function');
          if (isShared && this.#asked++ % 2 === 1) return this.#call(own.constructor.name, String(name), args);
          return Reflect.apply(value, own, args) as unknown;
        };
      },
    });
  }

  /** Finishes accepted calls and closes the connection. */
  close(): Promise<void> {
    return (this.#closed ??= this.#calls.close().finally(() => this.#port.close()));
  }

  /** Calls an adapter of the other thread. Rejects with the same errors as the adapter. */
  async #call(adapter: string, method: string, args: readonly unknown[]): Promise<unknown> {
    // Without the functions of aggregates and read models, which the other thread finds by their names.
    const values: unknown = JSON.parse(JSON.stringify(args));
    const { result, refusal, appends = this.appends } = await this.#calls.call(adapter, method, values);
    this.appends = appends;
    if (refusal) throw errorOf(refusal);
    return result;
  }
}

function startWorker(): Worker {
  const source = new URL('./other-thread.worker.mjs', import.meta.url);
  const started = new Worker(source, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  // It ends with the test file.
  started.unref();
  return started;
}

function errorOf(refusal: Refusal): Error {
  const [, kind = Error] = Object.entries(errors).find(([name]) => name === refusal.name) ?? [];
  const error = Object.assign(new Error(refusal.message), refusal);
  return Object.setPrototypeOf(error, kind.prototype as object) as Error;
}
