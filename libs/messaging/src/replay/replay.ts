import { isCompacted, type Commit, type CommitFeed } from '@keyfold/event-store';
import pLimit from 'p-limit';
import type { EventPublisher, OutgoingMessage } from '../relay/event-publisher.js';
import { selectsCommit, selectsMessage, type ReplaySelection } from './replay-selection.js';

/** Says that a message was sent on demand and not because something happened; the value is the id of the run. */
export const REPLAY_HEADER = 'x-keyfold-replay';

const PAGE = 500;
/** Accounts with few events would else wait for each other's confirms. */
const PARALLEL_SLOTS = 8;

export type ReplayParts = Readonly<{
  feed: CommitFeed;
  messagesOf(commit: Commit): readonly OutgoingMessage[];
  /** Told of a commit whose events cannot be sent; it is passed over. */
  onUnsendable(commit: Commit, error: unknown): Promise<void>;
}>;

/** Where the events go: to this queue alone, and marked with the id of the run. */
export type ReplayTarget = Readonly<{ publisher: EventPublisher; queue: string; run: string }>;

/**
 * Sends what happened once more, to one queue past everybody else. Of an account the order is kept and nothing is in flight twice;
 * accounts do not wait for each other. What happens meanwhile comes to the queue as ever, between or before the replayed events.
 */
export class Replay {
  /** How many events of each type were sent, or would be. */
  readonly counts = new Map<string, number>();
  unsendable = 0;
  /** Commits of streams that were compacted: their events are gone. */
  compacted = 0;

  constructor(
    private readonly parts: ReplayParts,
    private readonly selection: ReplaySelection,
    private readonly target: ReplayTarget | undefined,
  ) {}

  /**
   * Goes through everything that is in the feed now; without a target it only counts. Ends at the first event that the broker does not
   * take, with its error: what was sent before stays sent.
   */
  async run(signal: AbortSignal): Promise<void> {
    await pLimit(PARALLEL_SLOTS).map(await this.#slots(), ([slot, head]) => this.#replaySlot(slot, head, signal));
  }

  async #replaySlot(slot: number, head: number, signal: AbortSignal): Promise<void> {
    for (let position = 0; position < head;) {
      signal.throwIfAborted();
      const commits = await this.parts.feed.readFeed(slot, position, Math.min(PAGE, head - position));
      if (commits.length === 0) throw new Error(`slot ${slot} has a hole behind position ${position}: try again soon`);
      const selected = commits.filter((commit) => selectsCommit(this.selection, commit));
      this.compacted += selected.filter(isCompacted).length;
      await this.#send(selected);
      position += commits.length;
    }
  }

  /** The feeds that may have something of the selection. */
  async #slots(): Promise<(readonly [number, number])[]> {
    const { partition } = this.selection;
    const heads = await this.parts.feed.readHeads();
    if (partition === undefined) return [...heads];
    const slot = this.parts.feed.slotOf(partition);
    return [[slot, heads.get(slot) ?? 0]];
  }

  async #send(commits: readonly Commit[]): Promise<void> {
    const accounts = Map.groupBy(commits, ({ partition }) => partition);
    const sent = await Promise.allSettled([...accounts.values()].map((account) => this.#sendInOrder(account)));
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
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
      return this.parts.messagesOf(commit).filter((message) => selectsMessage(this.selection, message));
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
