import { Fault } from '@keyfold/http-envelope';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { freeOnceSent } from './piece-memory.js';

/** In bytes. Such bodies are received before they are sent, so that they can be sent again. */
export const REPEATABLE_BODY = 65_536;
/** Milliseconds in which the rest of a body may arrive that nobody wants. A client that still sends reads the answer first. */
const REST_TIME = 10_000;

/** Returns whether a request has a body that is too large to be kept, or of unknown size. */
export function hasLargeBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > REPEATABLE_BODY);
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Asks the client for the body, if it waits to be asked. */
export function askForBody({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect !== undefined) response.writeContinue();
}

/** Milliseconds without progress on either side after which a transfer ends. */
export const IDLE_TIME = 600_000;
/** Milliseconds for the whole body of a request that is answered here, or whose sender is unknown. */
export const REQUEST_TIME = 60_000;

/**
 * Receives a body of at most `limit` bytes. For an identified sender, only idle time is limited.
 *
 * @throws Fault 413 if it is longer, 400 if it ends too early, 408 if it takes too long.
 */
export function receivedBody(request: IncomingMessage, limit: number, isIdentified: boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => reject(tooSlow()), isIdentified ? IDLE_TIME : REQUEST_TIME).unref();
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (isIdentified) timer.refresh();
      if (size <= limit) chunks.push(chunk);
      else reject(new Fault(413, `the body is too long: at most ${limit} bytes`));
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => {
      clearTimeout(timer);
      reject(new Fault(400, 'the request ended too early'));
    });
    request.on('error', () => undefined);
  });
}

const tooSlow = () => new Fault(408, 'the body took too long');

/**
 * Returns the body of a request once it has begun: undici sends the head of a request with the first bytes of its body. A body that does not end in
 * time, if it must, is destroyed with the same fault.
 *
 * @throws Fault 408 if it does not begin within `time` milliseconds.
 */
export function begunBody(request: IncomingMessage, time: number, until: 'begin' | 'end'): Promise<ForwardedBody> {
  const body = new ForwardedBody(request);
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      body.destroy(tooSlow());
      reject(tooSlow());
    };
    const timer = setTimeout(giveUp, time).unref();
    const stop = () => clearTimeout(timer);
    const begin = () => {
      if (until === 'begin') stop();
      resolve(body);
    };
    request.once('data', begin).once('end', begin).once('close', begin);
    request.once('end', stop).once('close', stop);
  });
}

/** The body of a client as a stream of its own: ending that of the request would end the client's connection before the answer. */
export class ForwardedBody extends Readable {
  /** Called for each piece that arrives. */
  onProgress: (() => void) | undefined;

  constructor(private readonly request: IncomingMessage) {
    super({ highWaterMark: REPEATABLE_BODY });
    request.on('data', (chunk: Buffer) => {
      this.onProgress?.();
      // After the end of this stream, the rest is only discarded.
      if (this.destroyed) return;
      freeOnceSent(chunk);
      if (!this.push(chunk)) request.pause();
    });
    request.once('end', () => this.destroyed || this.push(null));
    request.once('close', () => this.readableEnded || request.complete || this.destroy(new ClientGone()));
    request.on('error', () => undefined);
    // Until it is sent, nobody else listens.
    this.on('error', () => undefined);
  }

  override _read(): void {
    this.request.resume();
  }
}

/** The client ended its connection before the end of its body. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Discards what the client still sends after the answer, and ends the connection if that takes long. */
export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  request.resume();
  const end = () => void (request.complete || request.socket.destroy());
  response.once('finish', () => {
    const timer = setTimeout(end, REST_TIME).unref();
    request.once('close', () => clearTimeout(timer));
  });
}
