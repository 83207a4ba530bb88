import type { mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitAtMost } from '@keyfold/concurrency';
import { slotOfKey, type CommitDocument } from '../commit.model.js';

/** Only the keys of inserted commits: their contents are read from the feed. */
const KEYS = [{ $match: { operationType: 'insert' } }, { $project: { operationType: 1, documentKey: 1 } }];
/** The server answers an idle change stream after this time, in milliseconds. Closing waits for that answer. */
const ANSWERED_WITHIN = 200;
/** How long closing waits for a server that does not answer, in milliseconds. */
const CLOSED_WITHIN = 1_000;
/** Pause before a change stream that ended is reopened, in milliseconds. */
const REOPEN_AFTER = 1_000;

/**
 * Signals that a process has appended. It listens to a change stream and nothing else: readers read commits from the feed. So a
 * missed signal costs a second of delay, and no resume token is kept.
 */
export class AppendSignal {
  readonly #listeners = new Set<(slot?: number) => void>();
  readonly #closing = new AbortController();
  #listening: Promise<void> | undefined;
  #stream: mongo.ChangeStream<CommitDocument> | undefined;

  constructor(
    private readonly client: mongo.MongoClient,
    private readonly commits: mongo.Collection<CommitDocument>,
  ) {}

  /** Calls `listener` with the slot of each append, if it is known. Returns a function that ends the subscription. */
  subscribe(listener: (slot?: number) => void): () => void {
    this.#listeners.add(listener);
    this.#listening ??= this.#listen();
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the server has answered what was in flight and holds no cursor any more, at the latest after a second. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#stream?.close().catch(() => undefined);
    await waitAtMost(CLOSED_WITHIN, this.#listening ?? Promise.resolve());
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    const session = this.client.startSession({ causalConsistency: false });
    while (!signal.aborted) {
      try {
        this.#stream = this.commits.watch(KEYS, { session, maxAwaitTimeMS: ANSWERED_WITHIN });
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
