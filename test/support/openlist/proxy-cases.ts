import { sendBig } from './downloads.js';
import type { Exchange } from './exchange.js';

/** The target of `/redirect`. */
export const REDIRECT_TARGET = 'https://storage.example/file?key=value';

/** Bytes that `/abort` announces and sends. */
const ANNOUNCED = 1_000;
const SENT = 100;

/** Addresses that OpenList does not have, for what a proxy must get right. */
export class ProxyCases {
  private waiting: (() => void)[] = [];

  /** The number of requests that wait in `/slow`. */
  get slow(): number {
    return this.waiting.length;
  }

  /** Lets all requests in `/slow` go on. */
  releaseSlow(): void {
    for (const release of this.waiting.splice(0)) release();
  }

  /** Answers a request to one of these addresses, or returns false. */
  async serve(exchange: Exchange): Promise<boolean> {
    const [, name, size] = exchange.path.split('/');
    switch (name) {
      case 'big':
        await sendBig(exchange, Number(size));
        return true;
      case 'redirect':
        exchange.send(302, '', '', { location: REDIRECT_TARGET });
        return true;
      case 'slow':
        await this.wait(exchange);
        return true;
      case 'abort':
        exchange.response.writeHead(200, { 'content-length': ANNOUNCED });
        exchange.response.write(Buffer.alloc(SENT), () => exchange.request.socket.destroy());
        return true;
      default:
        return false;
    }
  }

  /** Reads no byte of the request until it is released. */
  private async wait(exchange: Exchange): Promise<void> {
    await new Promise<void>((release) => {
      this.waiting.push(release);
      exchange.response.once('close', release);
    });
    for await (const _ of exchange.body());
    if (!exchange.response.destroyed) exchange.send(200, 'text/plain; charset=utf-8', 'released');
  }
}
