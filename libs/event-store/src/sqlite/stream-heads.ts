import { LRUCache } from 'lru-cache';

const REMEMBERED_STREAMS = 50_000;

/**
 * The last versions of the streams that were used of late. Every commit of the file passes through one process, so a head that is
 * remembered here is the true one, and a reader that is at the head need not ask the file.
 */
export class StreamHeads {
  readonly #versions = new LRUCache<string, number>({ max: REMEMBERED_STREAMS });

  isHead(stream: string, version: number): boolean {
    return this.#versions.get(stream) === version;
  }

  /** After a conflict the file is asked again. */
  forget(stream: string): void {
    this.#versions.delete(stream);
  }

  /** The stream has at least this many commits; called before an append is acknowledged. */
  reached(stream: string, version: number): void {
    if ((this.#versions.peek(stream) ?? -1) < version) this.#versions.set(stream, version);
  }
}
