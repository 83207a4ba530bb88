import { buildConnector, Pool } from 'undici';
import { ForwardedBody } from './forwarded-body.js';
import { freesWritten } from './piece-memory.js';
import type { Relay, Relayed } from './relay.js';

/** How long a connection to OpenList may take, and how long an idle one is kept (milliseconds). */
const CONNECT_TIME = 10_000;
const KEEP_ALIVE = 30_000;

/** A request to OpenList. `headers` are names and values in turn. */
export type Outgoing = Readonly<{
  method: string;
  path: string;
  headers: string[];
  body: Buffer | ForwardedBody | null;
}>;

/** The connections to OpenList that forwarded requests use. There is one for each request in flight. */
export class Upstream {
  readonly #pool: Pool;

  constructor(readonly origin: string) {
    const connect = buildConnector({ timeout: CONNECT_TIME, allowH2: false });
    this.#pool = new Pool(origin, {
      connections: null,
      pipelining: 1,
      allowH2: false,
      // The relay has a timer of its own: these would end a long upload while OpenList is slow to read.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE,
      connect: (options, callback) =>
        connect(options, (...opened) => {
          if (opened[1]) freesWritten(opened[1]);
          callback(...opened);
        }),
    });
  }

  /** Sends a request whose answer goes to the relay. */
  send(outgoing: Outgoing, relay: Relay): Promise<Relayed> {
    if (outgoing.body instanceof ForwardedBody) outgoing.body.onProgress = relay.onProgress;
    this.#pool.dispatch(outgoing, relay);
    return relay.ended;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
