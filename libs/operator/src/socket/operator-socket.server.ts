import { reasonOf } from '@keyfold/event-store';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { lstat, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { FAILED, WRONG_USAGE } from '@keyfold/process';
import type { OperatorOutput } from '../output/operator-output.js';
import {
  messagesOf,
  operatorSocketPath,
  OperatorSocketError,
  PROTOCOL,
  sendMessage,
  type RunSocketRequest,
} from './operator-socket.js';

const operatorRequest = z.object({ command: z.string(), args: z.record(z.string(), z.unknown()) });

/** How long an operator has to ask, and to read what a command still says when it is told to stop, in milliseconds. */
const PATIENCE = 2_000;

/** Lets operators reach the process that owns a data folder: they ask over a Unix socket in it, which only its owner can open. */
export class OperatorSocketServer {
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  readonly #connections = new Map<Socket, { command: AbortController; served: Promise<void> }>();

  constructor(private readonly run: RunSocketRequest) {}

  /** Listens in the folder, which this process has locked. Throws `OperatorSocketError`. */
  async start(folder: string): Promise<void> {
    const path = operatorSocketPath(folder);
    await removeStaleSocket(path);
    await listenForOwner(this.#server, path);
  }

  /** Accepts nobody else, asks the running commands to stop and waits until they did. */
  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : Promise.resolve();
    this.#server.close();
    for (const { command } of this.#connections.values()) command.abort();
    const late = setTimeout(() => this.#disconnect(), PATIENCE);
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
    // Whoever closes their side wants no more; an error is followed by the close.
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
      socket.setTimeout(PATIENCE, () => socket.destroy());
      await sendMessage(socket, { keyfold: PROTOCOL, pid: process.pid });
      const messages = messagesOf(socket);
      const { value } = await messages.next();
      await messages.return(undefined);
      // Read on, or the end of their side would never be seen.
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

/** A process that was killed leaves its socket behind, where nobody listens any more. */
async function removeStaleSocket(path: string): Promise<void> {
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(path, () => resolve('connected'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
    socket.on('connect', () => socket.destroy());
  });
  if (answer === 'connected') throw new OperatorSocketError(`another process listens at ${path}: stop it first`);
  // A file of another kind is somebody's; listening there says so.
  if (answer !== 'ECONNREFUSED' || !(await lstat(path)).isSocket()) return;
  await unlink(path).catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorSocketError(`cannot remove ${path}, at which nobody listens: ${reasonOf(cause)}`, { cause });
  });
}

/** The socket is made with its mode, because between making and changing it anybody could connect. */
async function listenForOwner(server: Server, path: string): Promise<void> {
  const umask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorSocketError(`cannot listen at ${path}: ${reasonOf(cause)}`, { cause });
  });
}
