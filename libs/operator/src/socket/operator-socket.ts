import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { ExitCode } from '@keyfold/process';
import type { OperatorOutput, Progress } from '../output/operator-output.js';

/** A command as it travels over the socket. The other process may be of another version, so the name may be unknown to it. */
export type SocketRequest = Readonly<{ command: string; args: Readonly<Record<string, unknown>> }>;

/** Runs a request; `signal` asks it to stop at the next step. */
export type RunSocketRequest = (
  request: SocketRequest,
  output: OperatorOutput,
  signal: AbortSignal,
) => Promise<ExitCode>;

/**
 * The protocol: the server greets with its version of the protocol and its process id, the client sends one `SocketRequest`, the server answers with lines and at last an exit code,
 * each message one line of JSON. A client that closes the connection stops its command, and one that does not know a message ignores it.
 */
export type ServerMessage = Readonly<
  | { keyfold: typeof PROTOCOL; pid?: number }
  | { out: string }
  | { err: string }
  | { progress: Progress }
  | { exit: number }
>;
export const PROTOCOL = 1;

/** sun_path of unix(7) has 108 bytes with the zero at its end. A longer path would be cut short in silence on some systems. */
const LONGEST_PATH = 107;

/** The process that owns the data folder cannot be spoken to; the message says what to do. */
export class OperatorSocketError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'OperatorSocketError';
  }
}

/** Where the process that owns a data folder listens for operators. Throws `OperatorSocketError`. */
export function operatorSocketPath(folder: string): string {
  const path = join(folder, 'operator.sock');
  const length = Buffer.byteLength(path);
  if (length <= LONGEST_PATH) return path;
  throw new OperatorSocketError(
    `the path ${path} has ${length} bytes and a socket's path can have ${LONGEST_PATH}: choose a shorter folder with KEYFOLD_DATA_DIR (a symbolic link will do)`,
  );
}

/** The messages that come in on a connection until it ends or breaks; the connection stays open when no more are read. */
export async function* messagesOf(socket: Socket): AsyncGenerator<unknown> {
  const chunks = socket.setEncoding('utf8').iterator({ destroyOnReturn: false }) as AsyncIterable<string>;
  let text = '';
  try {
    for await (const chunk of chunks) {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as unknown;
    }
  } catch (error) {
    // Whether the other side ended or broke off makes no difference: nothing more comes.
    if (error instanceof SyntaxError) throw error;
  }
}

/** Sends a message and waits until there is room for another. */
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
