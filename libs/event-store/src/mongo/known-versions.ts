import { LRUCache } from 'lru-cache';
import type { StreamPoint } from '../event-store.js';

const REMEMBERED_STREAMS = 50_000;

/** Caches versions that streams have certainly reached, so that an append need not query for the preceding commit. */
export class KnownVersions {
  readonly #versions = new LRUCache<string, number>({ max: REMEMBERED_STREAMS });

  seen(point: StreamPoint): void {
    if (!this.has(point)) this.#versions.set(point.stream, point.version);
  }

  has({ stream, version }: StreamPoint): boolean {
    return (this.#versions.get(stream) ?? 0) >= version;
  }

  /** Whether the stream certainly has the commit that precedes this version. */
  hasBefore({ stream, version }: StreamPoint): boolean {
    return version >= 1 && this.has({ stream, version: version - 1 });
  }
}
