import type { Commit } from '@keyfold/event-store';
import { Histogram } from '@keyfold/reporting';
import {
  BrokerUnavailable,
  MessageRefused,
  UnsendableMessage,
  type EventPublisher,
  type MessageTraces,
  type OutgoingMessage,
} from '../publishing.js';
import { Outlet, relayName, Undeliverable, type Deliver, type Delivered } from './outlet.js';

const READ_INTERVAL = 2;
/** Histogram buckets in seconds. */
const CONFIRM_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Histogram buckets. A page has up to 500 commits, most of which yield one message. */
const PAGE_MESSAGES = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** Translates a commit into messages, in order; private events yield none. Throws if the commit cannot be translated. */
export type MessagesOf = (commit: Commit) => readonly OutgoingMessage[];

export type MessageOutletOptions = Readonly<{
  traces?: MessageTraces | undefined;
  /** Returns monotonic milliseconds. */
  now?: () => number;
}>;

/** Publishes the messages of each commit. */
export class MessageOutlet extends Outlet {
  override readonly name = relayName;
  override readonly readInterval = READ_INTERVAL;
  override readonly carriesState = false;
  /** Messages confirmed by the broker, since the process started. */
  published = 0;
  /** Messages refused by the broker or matched by no queue; resent later. */
  refused = 0;
  /** Messages resent because it is unknown whether they arrived. */
  retried = 0;
  /** Seconds from sending a message to its confirm. */
  readonly confirms = new Histogram(CONFIRM_SECONDS);
  /** Messages per page of the feed that were confirmed before the page timed out. */
  readonly pages = new Histogram(PAGE_MESSAGES);
  readonly #now: () => number;

  constructor(
    readonly publisher: EventPublisher,
    private readonly messagesOf: MessagesOf,
    private readonly options: MessageOutletOptions = {},
  ) {
    super();
    this.#now = options.now ?? (() => performance.now());
  }

  override get isReady(): boolean {
    return this.publisher.isReady;
  }

  override get problem(): string | undefined {
    return this.publisher.problem;
  }

  override get isStalled(): boolean {
    return this.publisher.stall?.isTotal ?? false;
  }

  override onReady(listener: () => void): () => void {
    return this.publisher.onReady(listener);
  }

  override deliveriesOf(commit: Commit): readonly Deliver[] {
    return this.messagesOf(commit).map((message) => () => this.#deliver(message, commit));
  }

  override countPage(messages: number): void {
    this.pages.observe(messages);
  }

  async #deliver(message: OutgoingMessage, commit: Commit): Promise<Delivered> {
    const sentAt = this.#now();
    try {
      await this.#publish(message, commit);
    } catch (error) {
      return this.#outcomeOf(error);
    }
    this.published += 1;
    this.confirms.observe((this.#now() - sentAt) / 1_000);
    return 'delivered';
  }

  #publish(message: OutgoingMessage, { traceparent }: Commit): Promise<void> {
    const { traces } = this.options;
    if (!traces) return this.publisher.publish(message);
    return traces.publish(message, traceparent, () => this.publisher.publish(message));
  }

  #outcomeOf(error: unknown): Delivered {
    if (error instanceof UnsendableMessage) return new Undeliverable(error.message);
    if (error instanceof MessageRefused) {
      this.refused += 1;
      return 'refused';
    }
    if (!(error instanceof BrokerUnavailable)) throw error;
    this.retried += 1;
    return 'unavailable';
  }
}
