import type { CommitFeed } from '../commit-feed.js';
import type { Counter } from '../counter.js';
import type { EventStore } from '../event-store.js';
import type { StreamCompaction } from '../stream-compaction.js';

/** The three ports of a store, implemented by one adapter. */
export type WholeStore = EventStore & CommitFeed & StreamCompaction;

/** A store with its counter, as an adapter hands them to the contract suite. */
export type OpenStore = Readonly<{
  store: WholeStore;
  counter: Counter;
  /** How long an acknowledged commit may be missing from the feed, in milliseconds; 0 when absent. */
  feedDelay?: number;
  /** How long the bell may take to ring after an append, in milliseconds; it rings at once when absent. */
  ringDelay?: number;
  /** The store as another process has it open, where several can; it is closed with this one. */
  elsewhere?: WholeStore;
  /** Closes the store and opens the same data again. */
  reopen(): Promise<OpenStore>;
  /** Closes whatever is open, also what `reopen` opened. */
  close(): Promise<void>;
}>;

/**
 * One promise of the port. A case is data rather than a registered test, so that it can also be run against stores that break
 * the promise. It gets a store that others use as well: it relies only on streams, ids and keys of its own.
 */
export type ContractCase = Readonly<{ title: string; run(open: OpenStore): Promise<void> }>;
