import { IncomingMessage } from 'node:http';
import { PendingResponses } from './batched-response.js';
import { refuseRest } from './client-errors.js';

/** Smaller pieces of a body are small, in bytes. Segments of TCP and the buffers of usual clients are larger. */
export const SMALL = 512;
/** Maximum number of small pieces that a connection sends before all its requests have their answers. */
export const MAX_SMALL_PIECES = 256;

/**
 * A request that counts the pieces of its body: each chunk of `Transfer-Encoding: chunked` and each segment of the connection. A piece of one byte
 * costs as much time and memory as one of a kilobyte. Too many small ones end the connection, even if the request was already answered.
 */
export class BoundedRequest extends IncomingMessage {
  #isDiscarded = false;
  /** False for a body that is passed on as it arrives: its sender may be slow, and its pieces are not kept. */
  countsPieces = true;

  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(piece);
    const isSmall = piece.length < SMALL;
    if (isSmall && this.countsPieces && PendingResponses.of(this.socket).countSmallPiece() > MAX_SMALL_PIECES)
      return this.#refuse();
    // A copy in Node's pool, because the piece has memory of its own, of which the garbage collector knows too little.
    return this.#isDiscarded || super.push(isSmall ? Buffer.from(piece) : piece);
  }

  #refuse(): false {
    const limit = `at most ${MAX_SMALL_PIECES} below ${SMALL} bytes`;
    refuseRest(this.socket, 413, `the body has too many small pieces: ${limit}`);
    return false;
  }

  /** Node calls this after the response if nobody read the body. Its own method would hide further pieces from `push`. */
  _dump(): void {
    if (this.#isDiscarded) return;
    this.#isDiscarded = true;
    this.removeAllListeners('data');
    this.resume();
  }
}
