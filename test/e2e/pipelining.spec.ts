import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { sharedApp } from '../support/shared-app.js';

const MANY = 20_000;
/** Requests that the flood keeps unanswered. */
const IN_FLIGHT = 60;
/** The maximum number of answers to the flood while another connection waits for one: a few iterations of the event loop. */
const FEW = 2_000;
const PING = 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n';

const app = await sharedApp();

/** A connection that counts its answers. */
class Pipeline {
  readonly socket: Socket;
  readonly statuses: string[] = [];
  #rest = '';

  constructor(requests: string) {
    this.socket = connect(app.port, '127.0.0.1', () => this.socket.write(requests));
    this.socket.setEncoding('latin1').on('data', (text: string) => this.#read(text));
  }

  get answers(): number {
    return this.statuses.length;
  }

  #read(text: string): void {
    const [first = '', ...others] = (this.#rest + text).split('HTTP/1.1 ');
    // A status line may arrive in two parts.
    const last = others.pop();
    if (last === undefined) return void (this.#rest = first.slice(-20));
    this.statuses.push(...others.map((answer) => answer.slice(0, 3)));
    const isWhole = last.length >= 3;
    if (isWhole) this.statuses.push(last.slice(0, 3));
    this.#rest = isWhole ? last.slice(3).slice(-20) : `HTTP/1.1 ${last}`;
  }

  /** Sends further requests as long as fewer than `IN_FLIGHT` of the `total` have no answer. */
  keepSending(request: string, total: number): this {
    let sent = 0;
    const send = () => {
      const missing = Math.min(total, this.answers + IN_FLIGHT) - sent;
      sent += missing;
      this.socket.write(request.repeat(missing));
    };
    this.socket.on('connect', send).on('data', send);
    return this;
  }

  async until(isEnough: () => boolean): Promise<void> {
    for (const signal = AbortSignal.timeout(60_000); !isEnough();) {
      await new Promise((resolve, reject) => {
        this.socket.once('data', resolve);
        signal.addEventListener('abort', () => reject(new Error(`only ${this.answers} answers arrived`)));
      });
    }
  }
}

describe('pipelined requests of one connection', () => {
  it('do not starve other connections', async () => {
    const flood = new Pipeline('').keepSending(PING, MANY);
    await flood.until(() => flood.answers > 0);
    const before = flood.answers;
    const other = new Pipeline(PING);
    await other.until(() => other.answers === 1);
    const meanwhile = flood.answers - before;
    await flood.until(() => flood.answers === MANY);
    flood.socket.destroy();
    other.socket.destroy();
    expect(meanwhile).toBeLessThan(FEW);
  });

  it('are all answered in order', async () => {
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const { token } = admin;
    const paths = Array.from({ length: 60 }, (_, n) =>
      n % 3 === 0 ? '/api/me' : n % 3 === 1 ? '/ping' : `/none/${n}`,
    );
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\n\r\n`);
    const expected = paths.map((path) => (path.startsWith('/none') ? '404' : '200'));
    const pipeline = new Pipeline(requests.join(''));
    await pipeline.until(() => pipeline.answers === expected.length);
    pipeline.socket.destroy();
    expect(pipeline.statuses).toEqual(expected);
  });

  it('are not read while their connection is paused, even if a body has just resumed it, and are all answered', async () => {
    const login = (n: number, length = 0) => {
      const body = JSON.stringify({ username: `nobody ${n}`, password: 'wrong' }).padEnd(length);
      const address = `X-Forwarded-For: 203.0.${n}.9\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      return `POST /api/auth/login HTTP/1.1\r\nHost: a\r\n${address}\r\n\r\n${body}`;
    };
    const logins = Array.from({ length: 20 }, (_, n) => login(n)).join('');
    // The second chunk exceeds Node's buffer for a body (pause), completes it (resume) and contains so many requests
    // that reading stops (hold).
    const pipeline = new Pipeline(logins + login(20, 66_000) + PING.repeat(30));
    const large = PING.replace('Host', `X-Filler: ${'x'.repeat(30_000)}\r\nHost`);
    const all = 1_500;
    let taken = 0;
    const sendMore = () => {
      if (taken < all) pipeline.socket.write(large, () => ((taken += 1), sendMore()));
    };
    pipeline.socket.once('connect', sendMore);
    await pipeline.until(() => pipeline.answers >= 10);
    // The socket buffers of the system hold some megabytes.
    expect(taken * large.length).toBeLessThan(20_000_000);
    await pipeline.until(() => pipeline.answers === 21 + 30 + all);
    pipeline.socket.destroy();
    expect(pipeline.statuses.filter((status) => status !== '200')).toEqual([]);
  });

  it('end their connection with 429 if too many arrive at once, after the answers to those before', async () => {
    const answers = await exchangeBytes(app.baseUrl, PING.repeat(10_000));
    const [last, ...earlier] = answers.split('HTTP/1.1 ').slice(1).toReversed();
    expect(last).toMatch(/^429 Too Many Requests[^]*"too many pipelined requests: at most 96"/);
    expect(earlier.length).toBeGreaterThanOrEqual(96);
    expect(earlier.filter((answer) => !answer.startsWith('200 OK'))).toEqual([]);
  });

  it('are dropped when the client hangs up, and the service keeps running', async () => {
    const flood = new Pipeline('').keepSending(PING, MANY);
    await flood.until(() => flood.answers > 0);
    flood.socket.resetAndDestroy();
    const other = new Pipeline(PING);
    await other.until(() => other.answers === 1);
    other.socket.destroy();
  });
});
