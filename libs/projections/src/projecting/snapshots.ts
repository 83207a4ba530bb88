import { LRUCache } from 'lru-cache';
import type { Loaded } from '../loading/fold.js';
import { weightOf } from '../loading/state-weight.js';
import type { StreamRef } from '../loading/stream-ref.js';
import { isListed, readModelOf, type ReadModel } from '../read-model.js';

/** Number of streams whose documents are remembered. */
const STREAMS = 10_000;

/**
 * Returns whether a document may stay at a version although its stream has reached a later state. Loading adds the commits after it, so
 * those may have up to half of its size, at about a kilobyte each. A state with a sort key must be found in the list.
 */
export const mayLag = (model: ReadModel<unknown>, stored: number, { state, version }: Loaded<unknown>): boolean =>
  !isListed(model) &&
  version - stored < weightOf(model.aggregate, state) / 2 &&
  (model.sortKeyOf?.(state) ?? null) === null;

/**
 * Remembers which versions of documents the projector has written, so that it need not write a large one with every page of the feed.
 * What it does not know, as after a restart, it writes.
 */
export class Snapshots {
  readonly #written = new LRUCache<string, number>({ max: STREAMS });

  /** Returns whether the document of a stream must be written. */
  isDue(ref: StreamRef<unknown>, loaded: Loaded<unknown>): boolean {
    const stored = this.#written.get(ref.stream);
    return stored === undefined || !mayLag(readModelOf(ref), stored, loaded);
  }

  /** Remembers that the document has been written, unless the next commit makes it due anyway. */
  written(ref: StreamRef<unknown>, { state, version }: Loaded<unknown>): void {
    if (mayLag(readModelOf(ref), version, { state, version: version + 1 })) this.#written.set(ref.stream, version);
    else this.#written.delete(ref.stream);
  }
}
