import { Fault } from '@keyfold/http-envelope';
import { OpenListUnavailable } from '@keyfold/openlist';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Dispatcher } from 'undici';
import { ClientGone, IDLE_TIME } from './forwarded-body.js';
import { answerHeaders, type AnswerPolicy } from './forwarded-headers.js';
import { freeAfter } from './piece-memory.js';

/** The head of an answer. */
export type AnswerHead = Readonly<{ status: number; type: string; length: number | undefined }>;
export const answerHead = (status: number, headers: IncomingMessage['headers']): AnswerHead => {
  const length = headers['content-length'];
  return { status, type: headers['content-type'] ?? '', length: length === undefined ? undefined : Number(length) };
};

/** An answer that was received whole and not passed on. */
export type HeldAnswer = Readonly<{ status: number; reason: string; headers: string[]; body: Buffer }>;
/** How passing on an answer ended: `broken` if OpenList ended it too early, `aborted` if the client did. */
export type Relayed = HeldAnswer | 'answered' | 'broken' | 'aborted';

/** Which answers are held back, and up to how many bytes. */
export type Holding = (head: AnswerHead) => number | undefined;

/** In seconds. */
export const RETRY_AFTER = 5;

/** Nothing of the request was sent, because its login may be wrong by now. Its body and the connection can still be used. */
export class OutdatedLogin extends Error {
  override readonly name = 'OutdatedLogin';
}

type Controller = Dispatcher.DispatchController;
type Client = Readonly<{ request: IncomingMessage; response: ServerResponse }>;

/** Passes the answer to one request on to the client as it arrives, as fast as the client reads. */
export class Relay implements Dispatcher.DispatchHandler {
  readonly #ended = Promise.withResolvers<Relayed>();
  readonly #idle: NodeJS.Timeout;
  #controller: Controller | undefined;
  #hasStarted = false;
  #isGone = false;
  #isIdle = false;
  #held: { head: Omit<HeldAnswer, 'body'>; chunks: Buffer[]; left: number } | undefined;
  /** When the request was passed to a connection (monotonic milliseconds). */
  sentAt: number | undefined;
  /** The status of the answer whose head arrived. */
  status: number | undefined;

  constructor(
    private readonly client: Client,
    private readonly policy: AnswerPolicy,
    private readonly holding: Holding,
    /** Until when the request may be sent, in monotonic milliseconds. */
    private readonly validUntil = Infinity,
  ) {
    this.#idle = setTimeout(() => this.#onIdle(), IDLE_TIME).unref();
    client.response.on('drain', this.#onDrain).once('close', this.#onClose);
    if (client.response.closed || client.request.socket.destroyed) this.#onClose();
  }

  /** Resolves when the answer was passed on or held back. Rejects with `OpenListUnavailable` if there is none. */
  get ended(): Promise<Relayed> {
    return this.#ended.promise;
  }

  /** Something arrived from either side. */
  readonly onProgress = (): void => void this.#idle.refresh();

  onRequestStart(controller: Controller): void {
    const now = performance.now();
    // An abort would end the body and the connection, which may have taken long to open.
    if (this.#isGone) throw new ClientGone();
    if (now > this.validUntil) throw new OutdatedLogin();
    this.#controller = controller;
    this.sentAt = now;
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingMessage['headers'], reason = ''): void {
    // Only the final answer counts: hints before it are of no use through a proxy.
    if (status < 200) return;
    this.status = status;
    const head = answerHeaders((controller.rawHeaders ?? []) as Buffer[], this.policy);
    const limit = this.holding(answerHead(status, headers));
    if (limit !== undefined) {
      this.#held = { head: { status, reason, headers: head }, chunks: [], left: limit };
      return;
    }
    this.client.response.writeHead(status, reason, head);
    this.#hasStarted = true;
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.onProgress();
    const held = this.#held;
    if (!held) {
      if (!this.client.response.write(chunk, freeAfter(chunk))) controller.pause();
      return;
    }
    held.left -= chunk.length;
    if (held.left >= 0) held.chunks.push(chunk);
    else controller.abort(new OpenListUnavailable('the answer of OpenList is too long'));
  }

  onResponseEnd(): void {
    if (this.#held) return this.#end({ ...this.#held.head, body: Buffer.concat(this.#held.chunks) });
    this.client.response.end();
    this.#end('answered');
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    if (this.#isGone || error instanceof ClientGone) return this.#end('aborted');
    if (this.#hasStarted) {
      // The client must not take what it has for the whole.
      this.client.request.socket.destroy();
      return this.#end('broken');
    }
    this.#stop();
    this.#ended.reject(this.#reasonOf(error));
  }

  #reasonOf(error: Error): Error {
    if (error instanceof errors.InvalidArgumentError) return new Fault(400, 'the request cannot be forwarded');
    if (this.#isIdle)
      return new Fault(504, 'the file server did not answer in time', { retryAfterSeconds: RETRY_AFTER });
    if (error instanceof OpenListUnavailable || error instanceof OutdatedLogin || error instanceof Fault) return error;
    return new OpenListUnavailable('OpenList cannot be reached', { cause: error });
  }

  readonly #onDrain = (): void => {
    this.onProgress();
    this.#controller?.resume();
  };

  readonly #onClose = (): void => {
    if (this.client.response.writableFinished) return;
    this.#isGone = true;
    this.#controller?.abort(new Error('the client has gone'));
  };

  #onIdle(): void {
    this.#isIdle = true;
    this.#controller?.abort(new Error('the transfer stopped'));
  }

  #end(relayed: Relayed): void {
    this.#stop();
    this.#ended.resolve(relayed);
  }

  #stop(): void {
    clearTimeout(this.#idle);
    this.client.response.off('drain', this.#onDrain);
    if (!this.#hasStarted) this.client.response.off('close', this.#onClose);
  }
}
