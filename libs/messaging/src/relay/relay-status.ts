import { Histogram } from '@keyfold/event-store';

/** Histogram buckets in seconds. */
const CONFIRM_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Histogram buckets. A page has up to 500 commits, most of which yield one message. */
const PAGE_MESSAGES = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** Counts of messages since the process started. */
export type RelayCounts = Readonly<{
  /** Confirmed by the broker. */
  published: number;
  /** Refused by the broker or matched by no queue; resent later. */
  refused: number;
  /** Resent because it is unknown whether they arrived. */
  retried: number;
  /** Seconds from sending a message to its confirm. */
  confirms: Histogram;
  /** Messages per page of the feed that were confirmed before the page timed out. */
  pages: Histogram;
}>;

/** The state of the relay in this process and of the slots that it holds. */
export type RelayStatus = RelayCounts &
  Readonly<{
    /** All processes that run a relay, including this one. */
    members: readonly string[];
    slots: number;
    /** Whether the store is unreachable or a slot fails. */
    failing: boolean;
    brokerReady: boolean;
    /** Why the broker takes no messages of the held slots although it is connected. */
    problem: string | undefined;
    /** Number of parked accounts. */
    parked: number;
  }>;

/** Counts the messages of all slots of a process. */
export class RelayCounter {
  published = 0;
  refused = 0;
  retried = 0;
  readonly confirms = new Histogram(CONFIRM_SECONDS);
  readonly pages = new Histogram(PAGE_MESSAGES);
}
