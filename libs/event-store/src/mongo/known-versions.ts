import { LRUCache } from 'lru-cache';
import type { StreamPoint } from '../event-store.js';

const REMEMBERED_STREAMS = 50_000;

/** Versions that streams have for certain, because this process saw a commit of it: spares an append from asking for the one before. */
export class KnownVersions {
  readonly #versions = new LRUCache<string, number>({ max: REMEMBERED_STREAMS });

  seen(point: StreamPoint): void {
    if (!this.has(point)) this.#versions.set(point.stream, point.version);
  }

  has({ stream, version }: StreamPoint): boolean {
    return (this.#versions.get(stream) ?? 0) >= version;
  }

  /** Whether the stream has what must stand before a commit of this version. */
  hasBefore({ stream, version }: StreamPoint): boolean {
    return version >= 1 && this.has({ stream, version: version - 1 });
  }
}
