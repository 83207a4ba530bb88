import { reasonOf } from '@keyfold/reporting';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { lstat, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { FAILED, WRONG_USAGE } from '@keyfold/process';
import type { OperatorOutput } from '../command-run.js';
import {
  operatorSocketPath,
  OperatorSocketError,
  PROTOCOL,
  receiveMessages,
  sendMessage,
  type RunSocketRequest,
} from './operator-socket.js';

const operatorRequest = z.object({ command: z.string(), args: z.record(z.string(), z.unknown()) });

/** The longest request, in characters: an import of settings, which have 98,304 bytes, six characters for each in JSON. */
const MAX_REQUEST = 1_048_576;
/** How long a client may take to send its request, and to read the last lines of a stopped command (milliseconds). */
const CLIENT_TIMEOUT = 2_000;

/** Accepts operator requests for the process that owns a data folder, on a Unix socket in it that only its owner can open. */
export class OperatorSocketServer {
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  readonly #connections = new Map<Socket, { command: AbortController; served: Promise<void> }>();

  constructor(private readonly run: RunSocketRequest) {}

  /** Listens in the folder, which this process must have locked. Throws `OperatorSocketError`. */
  async start(folder: string): Promise<void> {
    const path = operatorSocketPath(folder);
    await removeStaleSocket(path);
    await listenForOwner(this.#server, path);
  }

  /** Accepts no more connections, stops the running commands and waits for their end. */
  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : Promise.resolve();
    this.#server.close();
    for (const { command } of this.#connections.values()) command.abort();
    const late = setTimeout(() => this.#disconnect(), CLIENT_TIMEOUT);
    await Promise.all([...this.#connections.values()].map(({ served }) => served));
    clearTimeout(late);
    this.#disconnect();
    await closed;
  }

  #disconnect(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #accept(socket: Socket): void {
    const command = new AbortController();
    // A half-close interrupts the command. An error is always followed by `close`.
    socket.on('end', () => command.abort()).on('error', () => undefined);
    socket.on('close', () => {
      command.abort();
      this.#connections.delete(socket);
    });
    this.#connections.set(socket, { command, served: this.#serve(socket, command.signal) });
  }

  async #serve(socket: Socket, signal: AbortSignal): Promise<void> {
    const output: OperatorOutput = {
      out: (line) => sendMessage(socket, { out: line }),
      err: (line) => sendMessage(socket, { err: line }),
      progress: (progress) => sendMessage(socket, { progress }),
    };
    try {
      socket.setTimeout(CLIENT_TIMEOUT, () => socket.destroy());
      await sendMessage(socket, { keyfold: PROTOCOL, pid: process.pid });
      const messages = receiveMessages(socket, MAX_REQUEST);
      const { value } = await messages.next();
      await messages.return(undefined);
      // Keep reading, otherwise the half-close of the client would go unnoticed.
      socket.resume();
      socket.setTimeout(0);
      const request = operatorRequest.safeParse(value);
      await sendMessage(socket, { exit: request.success ? await this.run(request.data, output, signal) : WRONG_USAGE });
    } catch (error) {
      await output.err(reasonOf(error));
      await sendMessage(socket, { exit: FAILED });
    }
    socket.end();
  }
}

/** Removes the socket that a killed process left behind. */
async function removeStaleSocket(path: string): Promise<void> {
  const result = await new Promise<string>((resolve) => {
    const socket = connect(path, () => resolve('connected'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
    socket.on('connect', () => socket.destroy());
  });
  if (result === 'connected') throw new OperatorSocketError(`another process listens on ${path}. Stop it first`);
  // Never delete another kind of file; listening will fail with the reason.
  if (result !== 'ECONNREFUSED' || !(await lstat(path)).isSocket()) return;
  await unlink(path).catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorSocketError(`cannot remove the stale socket ${path}: ${reasonOf(cause)}`, { cause });
  });
}

/** Creates the socket with its final mode, because others could connect before a later change of the mode. */
async function listenForOwner(server: Server, path: string): Promise<void> {
  const umask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorSocketError(`cannot listen on ${path}: ${reasonOf(cause)}`, { cause });
  });
}
