import type { Commit } from '@keyfold/event-store';
import type { Projection } from './projection.js';
import { readModelOf } from './read-model.js';
import type { StreamRef } from './stream-ref.js';

/** Called when the list entry of a stream may lack a stored commit. `correlation` is the id of the request that stored it. */
export type OnListBehind = (ref: StreamRef<unknown>, error: unknown, correlation: string) => void;

/**
 * Updates list entries in the process that appends, so that a client finds its change in the next list. Streams without a list are
 * left to the projector: everything else is folded from the commits.
 */
export class ListUpdates {
  constructor(
    private readonly projection: Pick<Projection, 'project'>,
    private readonly onBehind: OnListBehind,
  ) {}

  /**
   * Writes the list entry of a stream after an append of this commit, which need not be read again. Never rejects: the commit is stored,
   * whatever becomes of the entry.
   */
  async appended(ref: StreamRef<unknown>, commit: Commit, correlation: string): Promise<void> {
    if (!isListed(ref)) return;
    await this.projection.project(ref, [commit]).catch((error: unknown) => this.onBehind(ref, error, correlation));
  }

  /** Reports an append with an unknown outcome: its commit may be stored without its list entry. */
  unknown(ref: StreamRef<unknown>, error: unknown, correlation: string): void {
    if (isListed(ref)) this.onBehind(ref, error, correlation);
  }
}

/** Leaves lists of what is due to the projector, which is fast enough for them, so that adding a key costs no further write. */
function isListed(ref: StreamRef<unknown>): boolean {
  const { sortKeyOf, due } = readModelOf(ref);
  return sortKeyOf !== undefined && !due;
}
