import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { ExitCode } from '@keyfold/process';
import type { OperatorOutput, Progress } from '../command-run.js';

/** A command on the socket. The other process may have another version and not know the name. */
export type SocketRequest = Readonly<{ command: string; args: Readonly<Record<string, unknown>> }>;

/** Runs a request. `signal` stops it at the next step. */
export type RunSocketRequest = (
  request: SocketRequest,
  output: OperatorOutput,
  signal: AbortSignal,
) => Promise<ExitCode>;

/**
 * A message of the server. The server greets with the version of its protocol and its process id. The client sends one `SocketRequest`.
 * The server responds with output and finally an exit code. Each message is a line of JSON. If the client half-closes the connection, the
 * command stops; clients ignore unknown messages.
 */
export type ServerMessage = Readonly<
  | { keyfold: typeof PROTOCOL; pid?: number }
  | { out: string }
  | { err: string }
  | { progress: Progress }
  | { exit: number }
>;

/** The version of the protocol. */
export const PROTOCOL = 1;

/** `sun_path` of unix(7) has 108 bytes including the terminating zero. Some systems silently truncate longer paths. */
const MAX_PATH_BYTES = 107;

/** The process that owns the data folder cannot be reached; the message says what to do. */
export class OperatorSocketError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'OperatorSocketError';
  }
}

/** Returns the path of the operator socket of a data folder. Throws `OperatorSocketError` if it is too long. */
export function operatorSocketPath(folder: string): string {
  const path = join(folder, 'operator.sock');
  const length = Buffer.byteLength(path);
  if (length <= MAX_PATH_BYTES) return path;
  throw new OperatorSocketError(
    `the path ${path} has ${length} bytes, but a socket path can have only ${MAX_PATH_BYTES}. Set KEYFOLD_DATA_DIR to a shorter path, for example of a symbolic link`,
  );
}

/**
 * Yields the messages of a connection until it ends or fails. The connection stays open if the caller stops reading.
 *
 * @throws SyntaxError; OperatorSocketError if a message has more than `maxLength` characters
 */
export async function* receiveMessages(socket: Socket, maxLength = Infinity): AsyncGenerator<unknown> {
  const chunks = socket.setEncoding('utf8').iterator({ destroyOnReturn: false }) as AsyncIterable<string>;
  let text = '';
  try {
    for await (const chunk of chunks) {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as unknown;
      if (text.length > maxLength) throw new OperatorSocketError(`the message is longer than ${maxLength} characters`);
    }
  } catch (error) {
    // A failed connection counts as ended: there are no further messages.
    if (error instanceof SyntaxError || error instanceof OperatorSocketError) throw error;
  }
}

/** Sends a message and waits until the next one can be sent. */
export function sendMessage(socket: Socket, message: ServerMessage | object): Promise<void> {
  return new Promise((sent) => {
    if (socket.destroyed || socket.write(`${JSON.stringify(message)}\n`)) return sent();
    const done = () => {
      socket.off('drain', done).off('close', done);
      sent();
    };
    socket.on('drain', done).on('close', done);
  });
}
