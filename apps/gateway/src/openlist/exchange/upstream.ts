import { OpenListUnavailable } from '@keyfold/openlist';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import type { Relay, Relayed } from './relay.js';

/** How long a connection to OpenList may take, and how long an idle one is kept (milliseconds). */
const CONNECT_TIME = 10_000;
const KEEP_ALIVE = 30_000;
/** How long OpenList may take to answer a question of our own (milliseconds). */
const ANSWER_TIME = 10_000;

/** A request to OpenList. `headers` are names and values in turn. */
export type Outgoing = Readonly<{
  method: string;
  path: string;
  headers: string[];
  body: Buffer | Readable | null;
}>;

/** The connections to OpenList that forwarded requests use. There is one for each request in flight. */
export class Upstream {
  readonly #pool: Pool;

  constructor(readonly origin: string) {
    this.#pool = new Pool(origin, {
      connections: null,
      pipelining: 1,
      allowH2: false,
      // The relay has a timer of its own: these would end a long upload while OpenList is slow to read.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE,
      connect: { timeout: CONNECT_TIME },
    });
  }

  /** Sends a request whose answer goes to the relay. */
  send(outgoing: Outgoing, relay: Relay): Promise<Relayed> {
    this.#pool.dispatch(outgoing, relay);
    return relay.ended;
  }

  /**
   * Returns whether OpenList takes the token.
   *
   * @throws OpenListUnavailable
   */
  async takesToken(token: string): Promise<boolean> {
    const text = await this.#ask('/api/me', { authorization: token });
    const [, code] = /^\{"code":(\d+),/.exec(text) ?? [];
    if (code === undefined) throw new OpenListUnavailable('the answer of OpenList cannot be read');
    return code !== '401';
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #ask(path: string, headers: Record<string, string>): Promise<string> {
    try {
      const signal = AbortSignal.timeout(ANSWER_TIME);
      const { statusCode, body } = await this.#pool.request({ method: 'GET', path, headers, signal });
      const text = await body.text();
      if (statusCode < 500) return text;
    } catch (error) {
      throw new OpenListUnavailable('OpenList cannot be reached', { cause: error });
    }
    throw new OpenListUnavailable('OpenList fails');
  }
}
