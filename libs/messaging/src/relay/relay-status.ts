/** What became of messages since the process started. */
export type RelayCounts = Readonly<{
  /** Confirmed by the broker. */
  published: number;
  /** Refused by the broker, or wanted by no queue; they were or will be sent again. */
  refused: number;
  /** Of which it was not known whether they arrived, so that they were or will be sent again. */
  retried: number;
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
    /** Why the broker takes no messages although it is there. */
    problem: string | undefined;
    /** When the oldest commit happened that waits to be sent, in unix milliseconds; of parked accounts nothing counts. */
    oldestUnsentAt: number | undefined;
    /** Accounts that wait because one of their events cannot be sent. */
    parked: number;
  }>;

/** The counts as they grow. */
export class RelayCounter {
  published = 0;
  refused = 0;
  retried = 0;
}
