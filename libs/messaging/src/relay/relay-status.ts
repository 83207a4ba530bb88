import { Histogram } from '@keyfold/event-store';

/** Seconds. */
const CONFIRMS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A page has up to 500 commits, most of which become one message. */
const PAGES = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** What became of messages since the process started. */
export type RelayCounts = Readonly<{
  /** Confirmed by the broker. */
  published: number;
  /** Refused by the broker, or wanted by no queue; they were or will be sent again. */
  refused: number;
  /** Of which it was not known whether they arrived, so that they were or will be sent again. */
  retried: number;
  /** Seconds from a message to its confirm. */
  confirms: Histogram;
  /** Messages of the pages of the feed, as far as they were confirmed while the page was at work. */
  pages: Histogram;
}>;

/** How the relay of this process fares, in the slots that it holds. */
export type RelayStatus = RelayCounts &
  Readonly<{
    /** Other processes that relay, and this one. */
    members: readonly string[];
    slots: number;
    /** The store cannot be reached, or work in a slot fails. */
    failing: boolean;
    brokerReady: boolean;
    /** Why the broker takes no messages of the held slots although it is there. */
    problem: string | undefined;
    /** Accounts that wait because one of their events cannot be sent. */
    parked: number;
  }>;

/** The counts as they grow. */
export class RelayCounter {
  published = 0;
  refused = 0;
  retried = 0;
  readonly confirms = new Histogram(CONFIRMS);
  readonly pages = new Histogram(PAGES);
}
