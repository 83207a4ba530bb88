import type { mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { slotOfPlace, type CommitDocument } from './commit.model.js';

/** Only where something was inserted: the commits themselves are read from the feed. */
const PLACES = [{ $match: { operationType: 'insert' } }, { $project: { operationType: 1, documentKey: 1 } }];
/** How long to wait before a change stream that ended is opened again, in milliseconds. */
const REOPEN_AFTER = 1_000;

/**
 * Rings when any process has appended. It is a change stream that is only listened to: what was appended is read from the feed, so
 * a ring that is missed costs a second of waiting, and no resume token is ever kept.
 */
export class Doorbell {
  readonly #listeners = new Set<(slot?: number) => void>();
  readonly #closing = new AbortController();
  #isOpen = false;
  #stream: mongo.ChangeStream<CommitDocument> | undefined;

  constructor(
    private readonly client: mongo.MongoClient,
    private readonly commits: mongo.Collection<CommitDocument>,
  ) {}

  onRing(listener: (slot?: number) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#isOpen) void this.#listen();
    this.#isOpen = true;
    return () => this.#listeners.delete(listener);
  }

  /** Does not wait for the server, which answers a change stream that has nothing to say once a second. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#stream?.close().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    const session = this.client.startSession({ causalConsistency: false });
    while (!signal.aborted) {
      try {
        this.#stream = this.commits.watch(PLACES, { session });
        for await (const change of this.#stream) this.#ring(slotOfChange(change));
      } catch {
        // Whatever ended it, a change of the primary or an oplog that moved on: it is opened again from now on.
      }
      await this.#stream?.close().catch(() => undefined);
      await sleep(REOPEN_AFTER, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) this.#ring();
    }
    // An answer that was on its way when the stream was closed can keep its cursor alive; with its session it ends for sure.
    await this.client
      .db('admin')
      .command({ killSessions: [session.id] })
      .catch(() => undefined);
    await session.endSession().catch(() => undefined);
  }

  #ring(slot?: number): void {
    for (const listener of this.#listeners) listener(slot);
  }
}

const slotOfChange = (change: mongo.ChangeStreamDocument<CommitDocument>): number | undefined =>
  change.operationType === 'insert' ? slotOfPlace(change.documentKey._id) : undefined;
