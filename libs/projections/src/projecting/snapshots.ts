import type { Commit } from '@keyfold/event-store';
import { LRUCache } from 'lru-cache';
import type { Loaded } from '../loading/fold.js';
import { weightOf } from '../loading/state-weight.js';
import type { StreamRef } from '../loading/stream-ref.js';
import { isListed, readModelOf, type ReadModel } from '../read-model.js';

/** A document as it is stored, without its state. */
type Stored = Readonly<{ version: number; sortKey: number | null }>;

/** Number of streams whose documents are remembered. */
const STREAMS = 10_000;

/**
 * Returns whether a document may stay as it is although its stream has reached a later state. Loading adds the commits after it, so those
 * may have up to half of its size, at about a kilobyte each. Its sort key must be right.
 */
export const mayLag = (model: ReadModel<unknown>, stored: Stored, { state, version }: Loaded<unknown>): boolean =>
  !isListed(model) &&
  version - stored.version < weightOf(model.aggregate, state) / 2 &&
  stored.sortKey === (model.sortKeyOf?.(state) ?? null);

/**
 * Remembers which documents the projector has written, so that it need not write a large one with every page of the feed. After a
 * restart, and in a slot that another process has projected meanwhile, the next page writes them.
 */
export class Snapshots {
  readonly #streams = new LRUCache<string, Readonly<{ stored: Stored; projected: number }>>({ max: STREAMS });

  /** Returns whether the document must be written, given the commits that led to this state. */
  isDue(ref: StreamRef<unknown>, loaded: Loaded<unknown>, [first]: readonly Commit[]): boolean {
    const known = this.#streams.get(ref.stream);
    // A gap means that another process has projected the commits in between, and may have written another sort key.
    if (!known || !first || first.version > known.projected + 1) return true;
    if (!mayLag(readModelOf(ref), known.stored, loaded)) return true;
    this.#streams.set(ref.stream, { stored: known.stored, projected: loaded.version });
    return false;
  }

  /** Remembers that the document has been written. */
  written(ref: StreamRef<unknown>, loaded: Loaded<unknown>): void {
    const model = readModelOf(ref);
    const stored = { version: loaded.version, sortKey: model.sortKeyOf?.(loaded.state) ?? null };
    if (mayLag(model, stored, loaded)) this.#streams.set(ref.stream, { stored, projected: loaded.version });
    else this.#streams.delete(ref.stream);
  }
}
