import type { Commit } from '@keyfold/event-store';

/** The names under which the relays to RabbitMQ and to OpenList read the feed. */
export const relayName = 'relay';
export const openlistRelayName = 'openlist';

/** The delivery cannot succeed until somebody acts. The reason is shown to operators. */
export class Undeliverable {
  constructor(readonly reason: string) {}
}

/** The outcome of a delivery. It is retried after a back-off if it was refused, and once the outlet is ready if that was unavailable. */
export type Delivered = 'delivered' | 'refused' | 'unavailable' | Undeliverable;

/** Makes a delivery. One that has to wait for others first checks `held`: it returns false once another process may hold the slot. */
export type Deliver = (held: () => boolean) => Promise<Delivered>;

/** The destination of a relay, to which it delivers the commits of the feed. */
export abstract class Outlet {
  /** The name under which the relay reads the feed and stores its checkpoints. */
  abstract readonly name: string;

  /** Milliseconds between two reads of the feed. */
  abstract readonly readInterval: number;

  /** Whether a delivery carries the state at its beginning, and with it all commits that were read before. */
  abstract readonly carriesState: boolean;

  /** Whether it takes deliveries now. While it does not, the relay reads nothing. */
  abstract readonly isReady: boolean;

  /** Why it takes no deliveries although it is reachable; undefined once it took one. */
  abstract readonly problem: string | undefined;

  /** Whether it has not answered for some seconds, so that another process should deliver. */
  abstract readonly isStalled: boolean;

  /** Calls `listener` whenever the outlet becomes ready. Returns a function that removes the listener. */
  abstract onReady(listener: () => void): () => void;

  /**
   * Returns the deliveries of a commit, to be made one after the other; none if the commit does not concern the outlet. Throws if the commit
   * cannot be translated, which parks its account. A delivery that rejects fails its slot, which is retried.
   */
  abstract deliveriesOf(commit: Commit): readonly Deliver[];

  /** Counts the deliveries of the commits of a page that were delivered before it timed out. */
  countPage?(deliveries: number): void;
}
