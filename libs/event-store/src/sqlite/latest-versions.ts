import { LRUCache } from 'lru-cache';

const REMEMBERED_STREAMS = 50_000;

/**
 * Caches the latest versions of recently used streams. One process writes the file, so a cached version is exact, and a reader that has
 * it need not query the file.
 */
export class LatestVersions {
  readonly #versions = new LRUCache<string, number>({ max: REMEMBERED_STREAMS });

  isLatest(stream: string, version: number): boolean {
    return this.#versions.get(stream) === version;
  }

  /** Call after a conflict: the file is queried again. */
  forget(stream: string): void {
    this.#versions.delete(stream);
  }

  /** Records that the stream has at least this version. Call it before an append is acknowledged. */
  reached(stream: string, version: number): void {
    if ((this.#versions.peek(stream) ?? -1) < version) this.#versions.set(stream, version);
  }
}
