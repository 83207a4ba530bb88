import type { mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { slotOfKey, type CommitDocument } from '../commit.model.js';

/** Only the keys of inserted commits: their contents are read from the feed. */
const KEYS = [{ $match: { operationType: 'insert' } }, { $project: { operationType: 1, documentKey: 1 } }];
/** Pause before a change stream that ended is reopened, in milliseconds. */
const REOPEN_AFTER = 1_000;

/**
 * Signals that a process has appended. It listens to a change stream and nothing else: readers read commits from the feed. So a
 * missed signal costs a second of delay, and no resume token is kept.
 */
export class AppendSignal {
  readonly #listeners = new Set<(slot?: number) => void>();
  readonly #closing = new AbortController();
  #isOpen = false;
  #stream: mongo.ChangeStream<CommitDocument> | undefined;

  constructor(
    private readonly client: mongo.MongoClient,
    private readonly commits: mongo.Collection<CommitDocument>,
  ) {}

  /** Calls `listener` with the slot of each append, if it is known. Returns a function that ends the subscription. */
  subscribe(listener: (slot?: number) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#isOpen) void this.#listen();
    this.#isOpen = true;
    return () => this.#listeners.delete(listener);
  }

  /** Does not wait for the server, which answers an idle change stream only once a second. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#stream?.close().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    const session = this.client.startSession({ causalConsistency: false });
    while (!signal.aborted) {
      try {
        this.#stream = this.commits.watch(KEYS, { session });
        for await (const change of this.#stream) this.#notify(slotOfChange(change));
      } catch {
        // The primary changed, or the oplog moved on. The next stream starts from now.
      }
      await this.#stream?.close().catch(() => undefined);
      await sleep(REOPEN_AFTER, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) this.#notify();
    }
    // An answer that was in flight when the stream was closed can keep its cursor alive. Ending the session ends the cursor.
    await this.client
      .db('admin')
      .command({ killSessions: [session.id] })
      .catch(() => undefined);
    await session.endSession().catch(() => undefined);
  }

  #notify(slot?: number): void {
    for (const listener of this.#listeners) listener(slot);
  }
}

const slotOfChange = (change: mongo.ChangeStreamDocument<CommitDocument>): number | undefined =>
  change.operationType === 'insert' ? slotOfKey(change.documentKey._id) : undefined;
