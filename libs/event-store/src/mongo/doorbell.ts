import type { mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitDocument } from './commit.model.js';

/** How long to wait before a change stream that ended is opened again, in milliseconds. */
const REOPEN_AFTER = 1_000;

/**
 * Rings when any process has appended. It is a change stream that is only listened to: what was appended is read from the feed, so
 * a ring that is missed costs a second of waiting, and no resume token is ever kept.
 */
export class Doorbell {
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #isOpen = false;
  #stream: mongo.ChangeStream<CommitDocument> | undefined;

  constructor(private readonly commits: mongo.Collection<CommitDocument>) {}

  onRing(listener: () => void): () => void {
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
    while (!signal.aborted) {
      try {
        this.#stream = this.commits.watch([{ $match: { operationType: 'insert' } }, { $project: { _id: 1 } }]);
        for await (const _ of this.#stream) this.#ring();
      } catch {
        // Whatever ended it, a change of the primary or an oplog that moved on: it is opened again from now on.
      }
      await this.#stream?.close().catch(() => undefined);
      await sleep(REOPEN_AFTER, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) this.#ring();
    }
  }

  #ring(): void {
    for (const listener of this.#listeners) listener();
  }
}
