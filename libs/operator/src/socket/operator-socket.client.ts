import { reasonOf } from '@keyfold/reporting';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { INTERRUPTED, requireOwnFile, requireOwnFolder, type ExitCode } from '@keyfold/process';
import type { OperatorOutput } from '../command-run.js';
import {
  operatorSocketPath,
  OperatorSocketError,
  PROTOCOL,
  receiveMessages,
  sendMessage,
  type ServerMessage,
  type SocketRequest,
} from './operator-socket.js';

/** How long the other process may take to greet, and to end an interrupted command (milliseconds). */
const RESPONSE_TIMEOUT = 5_000;

/**
 * Runs a request in the process that owns the data folder. Returns the exit status, or undefined if no process listens. The signal
 * half-closes the connection: the command stops and can still write its last lines. Throws `InvalidConfiguration`, `OperatorSocketError`.
 */
export async function runInOwnerProcess(
  folder: string,
  request: SocketRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode | undefined> {
  const path = operatorSocketPath(folder);
  const socket = await connectTo(folder);
  if (!socket) return undefined;
  const interrupt = () => {
    socket.end();
    socket.setTimeout(RESPONSE_TIMEOUT, () => socket.destroy());
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
  socket.setTimeout(RESPONSE_TIMEOUT, () => socket.destroy());
  let greeted = false;
  for await (const message of receiveMessages(socket) as AsyncGenerator<ServerMessage>) {
    if ('keyfold' in message) {
      if (message.keyfold !== PROTOCOL) throw otherVersion(path);
      greeted = true;
      // A command may run for a long time without output.
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
      ? `the process behind ${path} ended before the command was complete. Run the command again`
      : `the process behind ${path} does not respond: it is busy or stopping. Try again, or stop it`,
  );
}

/** Connects to the owner process of a data folder. Returns undefined if there is none. Throws `InvalidConfiguration`, `OperatorSocketError`. */
async function connectTo(folder: string): Promise<Socket | undefined> {
  const path = operatorSocketPath(folder);
  if (!existsSync(folder)) return undefined;
  // A stranger's process must not receive passwords.
  requireOwnFolder(folder);
  requireOwnFile(path, 'socket');
  if (!existsSync(path)) return undefined;
  if ((statSync(folder).mode & 0o022) !== 0) {
    // Nobody else can replace the socket from here on.
    chmodSync(folder, 0o700);
    requireOwnFile(path, 'socket');
  }
  const socket = connect({ path, allowHalfOpen: true });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => {
      // A later error ends the stream of messages, which is reported there.
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
    `the process behind ${path} runs another version of keyfold. Use the keyfold command of that version`,
  );

/** How long the other process may take to greet (milliseconds). */
const GREETING_TIMEOUT = 2_000;

/** Another service uses the data folder. */
export class AlreadyRunning extends Error {
  constructor(folder: string, pid: number | undefined) {
    super(
      `Keyfold already runs on the data folder ${folder}${pid === undefined ? '' : ` (process ${pid})`}. ` +
        'Stop that process first, or set KEYFOLD_DATA_DIR to another folder',
    );
    this.name = 'AlreadyRunning';
  }
}

/**
 * Checks that no service listens on the operator socket of the folder. The folder lock, which is taken later in the startup, detects a
 * process that does not listen yet. Throws `AlreadyRunning`, `InvalidConfiguration`, `OperatorSocketError`.
 */
export async function requireFreeFolder(folder: string): Promise<void> {
  const socket = await connectTo(folder);
  if (!socket) return;
  socket.setTimeout(GREETING_TIMEOUT, () => socket.destroy());
  const { value: greeting } = await (receiveMessages(socket) as AsyncGenerator<ServerMessage, undefined>).next();
  socket.destroy();
  throw new AlreadyRunning(folder, greeting && 'keyfold' in greeting ? greeting.pid : undefined);
}
