import type { Socket } from 'node:net';
import { isMarkedAsUntransferable } from 'node:worker_threads';

/** In bytes. Smaller pieces are not worth the time. */
const SMALL = 4_096;

const passing = new WeakSet<Uint8Array>();

/** Lets a connection that `freesWritten` free the piece. The caller must not read it again. */
export const freeOnceSent = (piece: Buffer): void => void passing.add(piece);

/** Makes a connection to OpenList free the pieces that were given to `freeOnceSent`. undici itself does not report when it has written one. */
export function freesWritten(socket: Socket): void {
  const write = socket.write.bind(socket) as (piece: unknown, ...others: unknown[]) => boolean;
  const writeAndFree = (piece: Buffer | string, ...others: unknown[]): boolean =>
    typeof piece !== 'string' && passing.has(piece) ? write(piece, freeAfter(piece)) : write(piece, ...others);
  Object.assign(socket, { write: writeAndFree });
}

/** Returns the callback of a `write` that frees the piece once the system has its bytes. */
export const freeAfter = (piece: Buffer) =>
  piece.byteLength < SMALL ? undefined : (error?: Error | null) => void (error || free(piece));

/**
 * Frees the memory of a piece at once. V8 would do so in a full collection, after 64 MB of pieces. What precedes the piece in its buffer has been
 * written as well; what follows may still be needed, and so may the rest of Node's pool.
 */
function free({ buffer, byteOffset, byteLength }: Buffer): void {
  const isLast = byteOffset + byteLength === buffer.byteLength;
  if (isLast && buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer)) buffer.transfer(0);
}
