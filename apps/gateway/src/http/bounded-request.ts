import { IncomingMessage } from 'node:http';
import { refuseRest } from './client-errors.js';

/** Smaller pieces of a body are small, in bytes. Segments of TCP and the buffers of usual clients are larger. */
const SMALL = 512;
/** Maximum number of small pieces of a body. */
const MAX_SMALL_PIECES = 256;

/**
 * A request whose body has a bounded number of pieces. Each chunk of `Transfer-Encoding: chunked` is a piece, and so is each segment of the
 * connection. A piece of one byte costs as much time and memory as one of a kilobyte. A body with too many small ones ends the connection, also if the
 * request has its answer and nobody reads the body.
 */
export class BoundedRequest extends IncomingMessage {
  #smallPieces = 0;
  #isDiscarded = false;

  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(piece);
    const isSmall = piece.length < SMALL;
    if (isSmall) this.#smallPieces += 1;
    // A copy in Node's pool, because the piece has memory of its own, of which the garbage collector knows too little.
    if (this.#smallPieces <= MAX_SMALL_PIECES)
      return this.#isDiscarded || super.push(isSmall ? Buffer.from(piece) : piece);
    refuseRest(
      this.socket,
      413,
      `the body has too many small pieces: at most ${MAX_SMALL_PIECES} below ${SMALL} bytes`,
    );
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
