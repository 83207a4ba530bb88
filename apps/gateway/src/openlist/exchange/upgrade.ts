import { request as requestOverHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { IDLE_TIME } from './forwarded-body.js';
import { answerHeaders } from './forwarded-headers.js';
import { isTokenRefused } from './refused-token.js';
import { answerHead, type Holding } from './relay.js';

/** Maximum size of the bytes that a client sends before OpenList has switched. */
const EARLY_BYTES = 65_536;

/** A connection whose client asks for another protocol. It ends with the one to OpenList, and if neither side sends anything for long. */
export class Upgrade {
  readonly #early: Buffer[] = [];
  #earlyBytes = 0;
  #asked: ClientRequest | undefined;
  #behind: Socket | undefined;

  /** `head`: what the client has sent already. Times are in milliseconds. */
  constructor(
    private readonly request: IncomingMessage,
    readonly socket: Socket,
    head: Buffer,
    idleTime = IDLE_TIME,
  ) {
    this.#keep(head);
    // Without a reader, nobody would notice that the client has gone.
    socket.on('data', this.#keep).once('end', this.destroy);
    socket.on('error', this.destroy).once('close', this.destroy);
    socket.setTimeout(idleTime, this.destroy);
  }

  /** Ends both connections at once. */
  readonly destroy = (): void => {
    this.socket.destroy();
    this.#asked?.destroy();
    this.#behind?.destroy();
  };

  /**
   * Sends the request to OpenList, on a connection of its own, and connects both sides if OpenList switches. Otherwise the client gets OpenList's answer, and
   * its connection ends. Returns false if a held answer refuses the token: then nothing has happened, and another request can be sent. Rejects if OpenList
   * cannot be reached, or the client has gone.
   */
  send(origin: string, headers: string[], holding: Holding): Promise<boolean> {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      if (socket.destroyed) throw new Error('the client has gone');
      this.#asked = startRequest(this.request, origin, headers);
      this.#asked.once('error', reject);
      this.#asked.once('upgrade', (answer: IncomingMessage, behind: Socket, early: Buffer) => {
        socket.write(headOf(answer, [...answerHeaders(answer.rawHeaders, 0), ...connectionOf(answer)]));
        socket.write(early);
        this.#join(behind);
        resolve(true);
      });
      this.#asked.once('response', (answer: IncomingMessage) => {
        this.#passOn(answer, holding).then(resolve, reject);
      });
      this.#asked.end();
    });
  }

  async #passOn(answer: IncomingMessage, holding: Holding): Promise<boolean> {
    const { socket } = this;
    const status = answer.statusCode!;
    const held = holding(answerHead(status, answer.headers)) === undefined ? undefined : await buffer(answer);
    if (held && isTokenRefused({ status, body: held })) return false;
    socket.write(headOf(answer, [...answerHeaders(answer.rawHeaders, 0), 'Connection', 'close']));
    if (held) socket.end(held);
    else answer.once('error', this.destroy).pipe(socket);
    return true;
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes > EARLY_BYTES) this.destroy();
    else this.#early.push(chunk);
  };

  #join(behind: Socket): void {
    const { socket } = this;
    this.#behind = behind;
    // A slow client still gets what OpenList sent last.
    behind.on('error', this.destroy).once('close', () => socket.destroySoon());
    socket.off('data', this.#keep).off('end', this.destroy);
    behind.write(Buffer.concat(this.#early));
    socket.pipe(behind).pipe(socket);
  }
}

function startRequest(request: IncomingMessage, origin: string, headers: string[]): ClientRequest {
  const start = origin.startsWith('https:') ? requestOverTls : requestOverHttp;
  // The client's address is never resolved: `//other/path` would name another server.
  return start(new URL(origin), {
    method: request.method,
    path: request.url,
    headers: [...headers, ...connectionOf(request)],
    agent: false,
  });
}

const connectionOf = ({ headers }: IncomingMessage) => ['Connection', 'Upgrade', 'Upgrade', headers.upgrade ?? ''];

function headOf({ statusCode, statusMessage }: IncomingMessage, headers: readonly string[]): Buffer {
  const lines = headers.map((each, index) => (index % 2 === 0 ? `${each}: ` : `${each}\r\n`));
  return Buffer.from(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`, 'latin1');
}
