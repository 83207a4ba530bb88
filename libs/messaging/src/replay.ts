import { isCompacted, type Commit, type CommitFeed } from '@keyfold/event-store';
import pLimit from 'p-limit';
import type { EventPublisher, OutgoingMessage } from './publishing.js';
import type { MessagesOf } from './relay/message-outlet.js';

/** Header of replayed messages, with the id of the replay. */
export const REPLAY_HEADER = 'x-keyfold-replay';

const PAGE = 500;
/** Slots are replayed in parallel, so that accounts with few events do not wait for the confirms of others. */
const PARALLEL_SLOTS = 8;

/** Selects the events to replay; a missing field matches all. `from` (inclusive) and `to` (exclusive) are Unix milliseconds. */
export type ReplaySelection = Readonly<{
  from?: number | undefined;
  to?: number | undefined;
  types?: readonly string[] | undefined;
  /** Id of the account. */
  account?: number | undefined;
}>;

export type ReplayParts = Readonly<{
  feed: CommitFeed;
  messagesOf: MessagesOf;
  /** Called for a commit that cannot be translated, which is skipped. */
  onUnsendable(commit: Commit, error: unknown): Promise<void>;
}>;

/** The queue that receives the events, and the id of the replay for their header. */
export type ReplayTarget = Readonly<{ publisher: EventPublisher; queue: string; run: string }>;

/**
 * Sends past events to a single queue. Each account keeps its order and has at most one message in flight; accounts do not wait for each
 * other. New events reach the queue as usual, mixed with the replayed ones.
 */
export class Replay {
  /** Number of events sent, or counted in a dry run, by type. */
  readonly counts = new Map<string, number>();
  /** Number of commits that could not be translated. */
  unsendable = 0;
  /** Number of selected commits whose events were deleted by compaction. */
  compacted = 0;

  constructor(
    private readonly parts: ReplayParts,
    private readonly selection: ReplaySelection,
    private readonly target: ReplayTarget | undefined,
  ) {}

  /**
   * Replays everything that is in the feed now; without a target, only counts it. Rejects at the first event that the broker does not take;
   * events sent before that stay sent.
   */
  async run(signal: AbortSignal): Promise<void> {
    await pLimit(PARALLEL_SLOTS).map(await this.#slots(), ([slot, end]) => this.#replaySlot(slot, end, signal));
  }

  async #replaySlot(slot: number, end: number, signal: AbortSignal): Promise<void> {
    for (let position = 0; position < end;) {
      signal.throwIfAborted();
      const commits = await this.parts.feed.readFeed(slot, position, Math.min(PAGE, end - position));
      if (commits.length === 0)
        throw new Error(`slot ${slot} has a hole after position ${position}; retry in a few seconds`);
      const selected = commits.filter((commit) => this.#isSelected(commit));
      this.compacted += selected.filter(isCompacted).length;
      await this.#send(selected);
      position += commits.length;
    }
  }

  #isSelected({ partition, at }: Commit): boolean {
    const { from = -Infinity, to = Infinity, account = partition } = this.selection;
    return partition === String(account) && at >= from && at < to;
  }

  /** Returns the slots that can contain selected commits, each with its last position. */
  async #slots(): Promise<(readonly [number, number])[]> {
    const { account } = this.selection;
    const heads = await this.parts.feed.readHeads();
    if (account === undefined) return [...heads];
    const slot = this.parts.feed.slotOf(String(account));
    return [[slot, heads.get(slot) ?? 0]];
  }

  async #send(commits: readonly Commit[]): Promise<void> {
    const accounts = Map.groupBy(commits, ({ partition }) => partition);
    const sending = [...accounts.values()].map((account) => this.#sendInOrder(account));
    await Promise.allSettled(sending);
    await Promise.all(sending);
  }

  async #sendInOrder(commits: readonly Commit[]): Promise<void> {
    for (const commit of commits) {
      for (const message of await this.#messagesOf(commit)) {
        if (this.target) await this.target.publisher.publishTo(this.target.queue, marked(message, this.target.run));
        this.counts.set(message.type, (this.counts.get(message.type) ?? 0) + 1);
      }
    }
  }

  async #messagesOf(commit: Commit): Promise<readonly OutgoingMessage[]> {
    try {
      const { types } = this.selection;
      return this.parts.messagesOf(commit).filter(({ type }) => types === undefined || types.includes(type));
    } catch (error) {
      this.unsendable++;
      await this.parts.onUnsendable(commit, error);
      return [];
    }
  }
}

const marked = (message: OutgoingMessage, run: string): OutgoingMessage => ({
  ...message,
  headers: { ...message.headers, [REPLAY_HEADER]: run },
});
