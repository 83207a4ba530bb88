import { reasonOf } from '@keyfold/event-store';
import { connect, type Socket } from 'node:net';
import { INTERRUPTED, type ExitCode } from '@keyfold/process';
import type { OperatorOutput } from '../output/operator-output.js';
import {
  messagesOf,
  operatorSocketPath,
  OperatorSocketError,
  PROTOCOL,
  sendMessage,
  type ServerMessage,
  type SocketRequest,
} from './operator-socket.js';

/** How long the other process has to greet, and to end a command that was interrupted, in milliseconds. */
const PATIENCE = 5_000;

/**
 * Has the process that owns the data folder carry out the request, and answers how it ended; undefined when nobody listens in the
 * folder. The signal closes our side: the command stops and may still say how it ended. Throws `OperatorSocketError`.
 */
export async function askRunningProcess(
  folder: string,
  request: SocketRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode | undefined> {
  const path = operatorSocketPath(folder);
  const socket = await connected(path);
  if (!socket) return undefined;
  const interrupt = () => {
    socket.end();
    socket.setTimeout(PATIENCE, () => socket.destroy());
  };
  try {
    signal.addEventListener('abort', interrupt);
    return await converse(socket, path, request, output, signal);
  } finally {
    signal.removeEventListener('abort', interrupt);
    socket.destroy();
  }
}

async function converse(
  socket: Socket,
  path: string,
  request: SocketRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  socket.setTimeout(PATIENCE, () => socket.destroy());
  let greeted = false;
  for await (const message of messagesOf(socket) as AsyncGenerator<ServerMessage>) {
    if ('keyfold' in message) {
      if (message.keyfold !== PROTOCOL) throw otherVersion(path);
      greeted = true;
      // A command may be silent for long.
      socket.setTimeout(0);
      await sendMessage(socket, request);
    } else if ('out' in message) await output.out(message.out);
    else if ('err' in message) await output.err(message.err);
    else if ('progress' in message) await output.progress?.(message.progress);
    else if ('exit' in message) return message.exit;
  }
  if (signal.aborted) return INTERRUPTED;
  throw new OperatorSocketError(
    greeted
      ? `the process that listens at ${path} ended before the command did: ask again`
      : `a process listens at ${path} but does not answer: it is busy, or it is stopping. Try again, or stop it`,
  );
}

/** A connection to the process that listens there; undefined when none does. Throws `OperatorSocketError`. */
export async function connected(path: string): Promise<Socket | undefined> {
  const socket = connect({ path, allowHalfOpen: true });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => {
      // What breaks later ends the messages, and that is enough to know.
      socket.off('error', failed).on('error', () => undefined);
      resolve(socket);
    });
    const failed = (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' || cause.code === 'ECONNREFUSED') return resolve(undefined);
      reject(new OperatorSocketError(`cannot connect to ${path}: ${reasonOf(cause)}`, { cause }));
    };
    socket.once('error', failed);
  });
}

const otherVersion = (path: string) =>
  new OperatorSocketError(
    `the process that listens at ${path} is of another version of keyfold: use the command of that version`,
  );
