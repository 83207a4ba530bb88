import { BackOff } from '@keyfold/concurrency';
import type { Commit, CommitFeed } from '@keyfold/event-store';
import { Histogram, reasonOf } from '@keyfold/reporting';
import {
  BrokerUnavailable,
  MessageRefused,
  UnsendableMessage,
  type EventPublisher,
  type MessageTraces,
  type OutgoingMessage,
} from '../publishing.js';
import type { ParkedAccount, ParkedAccounts } from './parked-accounts.js';

/** Milliseconds before a refused message is resent; doubled for each further refusal, up to the maximum. */
const INITIAL_DELAY = 100;
const MAX_DELAY = 30_000;
/** Histogram buckets in seconds. */
const CONFIRM_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Histogram buckets. A page has up to 500 commits, most of which yield one message. */
const PAGE_MESSAGES = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** Counts the messages of all slots since the process started. */
export class RelayCounter {
  /** Confirmed by the broker. */
  published = 0;
  /** Refused by the broker or matched by no queue; resent later. */
  refused = 0;
  /** Resent because it is unknown whether they arrived. */
  retried = 0;
  /** Seconds from sending a message to its confirm. */
  readonly confirms = new Histogram(CONFIRM_SECONDS);
  /** Messages per page of the feed that were confirmed before the page timed out. */
  readonly pages = new Histogram(PAGE_MESSAGES);
}

/** Translates a commit into messages, in order; private events yield none. Throws if the commit cannot be translated. */
export type MessagesOf = (commit: Commit) => readonly OutgoingMessage[];

/** Dependencies of the relays of all slots and accounts. */
export type RelayParts = Readonly<{
  feed: CommitFeed;
  publisher: EventPublisher;
  parked: ParkedAccounts;
  messagesOf: MessagesOf;
  counter: RelayCounter;
  /** Called for each account that is parked. */
  onParked(record: ParkedAccount): void;
  /** Returns Unix milliseconds. */
  clock(): number;
  /** Returns monotonic milliseconds. */
  now(): number;
  /** Milliseconds to wait for a page. Unsent commits are read again with the next page. */
  pageTimeout: number;
  traces?: MessageTraces | undefined;
}>;

/** Sends the events of one account in a slot. Positions are those of its commits; times are monotonic milliseconds. */
export class AccountRelay {
  /** Number of confirmed messages of the commit after `sentUpTo`. */
  confirmedMessages = 0;
  /** Commits up to this position were skipped because the account is parked. */
  skippedUpTo = 0;
  parked: ParkedAccount | undefined;
  /** The send in progress; there is never more than one. */
  sending: Promise<void> | undefined;
  /** Why the last send failed, unless the broker was the reason. */
  error: unknown;
  /** Nothing is sent before this time. */
  retryAt = -Infinity;
  /** Whether the broker did not take the last message. */
  isStalled = false;
  readonly #backOff = new BackOff(INITIAL_DELAY, MAX_DELAY);

  constructor(
    private readonly parts: RelayParts,
    readonly partition: string,
    /** Everything up to this position is confirmed. */
    public sentUpTo = 0,
  ) {}

  /** Whether the checkpoint may pass a commit of the account. */
  covers(position: number): boolean {
    return position <= this.sentUpTo || position <= this.skippedUpTo;
  }

  get isIdle(): boolean {
    return !this.sending && !this.parked && this.error === undefined;
  }

  /**
   * Publishes the remaining messages of a commit one by one. Returns `unsent` if the commit has to be retried, or an `UnsendableMessage` if
   * retries cannot succeed.
   */
  async send(commit: Commit, held: () => boolean): Promise<'sent' | 'unsent' | UnsendableMessage> {
    const { messagesOf, publisher, counter, now } = this.parts;
    let messages: readonly OutgoingMessage[];
    try {
      messages = messagesOf(commit);
    } catch (cause) {
      return new UnsendableMessage(reasonOf(cause), { cause });
    }
    for (const message of messages.slice(this.confirmedMessages)) {
      if (!held() || !publisher.isReady) return 'unsent';
      const sentAt = now();
      try {
        await this.#publish(message, commit);
      } catch (error) {
        if (error instanceof UnsendableMessage) return error;
        this.#fail(error);
        return 'unsent';
      }
      counter.published += 1;
      counter.confirms.observe((now() - sentAt) / 1_000);
      this.confirmedMessages += 1;
      this.isStalled = false;
      this.#backOff.reset();
    }
    return 'sent';
  }

  #publish(message: OutgoingMessage, { traceparent }: Commit): Promise<void> {
    const { publisher, traces } = this.parts;
    if (!traces) return publisher.publish(message);
    return traces.publish(message, traceparent, () => publisher.publish(message));
  }

  #fail(error: unknown): void {
    const { counter, now } = this.parts;
    this.isStalled = true;
    if (error instanceof MessageRefused) {
      counter.refused += 1;
      this.retryAt = now() + this.#backOff.next();
    } else if (error instanceof BrokerUnavailable) counter.retried += 1;
    else throw error;
  }
}
