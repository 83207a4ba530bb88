import type { CommitIntake } from '../../src/commit-intake.js';
import type { StreamCompaction } from '../../src/compaction.js';
import type { CommitHistory, Counter, EventStore } from '../../src/event-store.js';
import type { CommitFeed } from '../../src/feed/commit-feed.js';

/** The four ports of a store, implemented by one adapter. */
export type WholeStore = EventStore & CommitFeed & CommitHistory & StreamCompaction;

/** A store with its counter and its intake, as an adapter passes them to the contract suite. */
export type OpenStore = Readonly<{
  store: WholeStore;
  counter: Counter;
  intake: CommitIntake;
  /** How long an acknowledged commit may be missing from the feed, in milliseconds; 0 when absent. */
  feedDelay?: number;
  /** How long a listener may wait for its call after an append, in milliseconds; 0 when absent. */
  signalDelay?: number;
  /** The same store opened by another process or thread, if the test opens one. It is closed with this one. */
  elsewhere?: WholeStore;
  /** Closes the store and opens the same data again. */
  reopen(): Promise<OpenStore>;
  /** Closes everything, including what `reopen` opened. */
  close(): Promise<void>;
}>;

/**
 * One guarantee of the ports. A case is data rather than a registered test, so that it can also run against stores that break the
 * guarantee. Cases share a store, so each uses only its own streams, ids and keys.
 */
export type ContractCase = Readonly<{ title: string; run(open: OpenStore): Promise<void> }>;
