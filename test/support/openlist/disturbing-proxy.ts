import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A fault of one request. `cut`: it gets no answer. `doubled`: it arrives twice, and the second answer counts. `late`: it gets no answer, and arrives when
 * `sendLate` is called.
 */
export type Disturbance = 'cut' | 'doubled' | 'late';

/** A proxy in front of OpenList that disturbs one of the requests that change something. */
export class DisturbingProxy implements AsyncDisposable {
  /** Requests that change something, since the last `disturb`. */
  changes = 0;
  #disturbed: { disturbance: Disturbance; change: number } | undefined;
  #late: (() => Promise<Response>) | undefined;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  private constructor(private readonly target: string) {}

  static async start(target: string): Promise<DisturbingProxy> {
    const proxy = new DisturbingProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Disturbs the given change, counted from 0. */
  disturb(disturbance: Disturbance, change: number): void {
    this.changes = 0;
    this.#disturbed = { disturbance, change };
  }

  /** Lets OpenList have the late request, if there is one. */
  async sendLate(): Promise<void> {
    await (await this.#late?.())?.body?.cancel();
    this.#late = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const send = () =>
      fetch(this.target + url, {
        method,
        headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
          PASSED.includes(name) ? [[name, String(value)]] : [],
        ),
        ...(body.length > 0 && { body }),
      });
    const isDisturbed = method === 'POST' && this.changes++ === this.#disturbed?.change;
    const disturbance = isDisturbed ? this.#disturbed!.disturbance : undefined;
    if (disturbance === 'late') this.#late = send;
    else {
      let answer = await send();
      if (disturbance === 'doubled') answer = await send();
      const text = await answer.text();
      if (disturbance !== 'cut') return void response.writeHead(answer.status, JSON_TYPE).end(text);
    }
    request.socket.destroy();
  }
}

const PASSED = ['authorization', 'content-type', 'x-forwarded-for'];
const JSON_TYPE = { 'content-type': 'application/json' };
