import type { EventStore } from '@keyfold/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Projection } from './projection.js';
import type { CheckpointStore } from './read-model-store.js';
import { readModels, streamRef, type StreamRef } from './read-model.js';

/** Milliseconds between two looks at a feed that had nothing new, and between two tries of the parked streams. */
const POLL_INTERVAL = 1_000;
const RETRY_PARKED_INTERVAL = 30_000;
const BATCH = 500;

/**
 * A reader is named after the models that it fills: a model with a raised schema number makes a new reader, which fills the new
 * documents from the start of the feed.
 */
export const projectorName = `projector:${readModels.map(({ name, schema }) => `${name}_${schema}`).join(',')}`;

/** Follows the feed and projects every stream that it names, so that a crash between a commit and its projection loses nothing. */
export class Projector {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Never: a start tries at once, because it may be the start of the version that can read them. */
  #retriedParkedAt = -Infinity;

  constructor(
    private readonly store: EventStore,
    private readonly projection: Projection,
    private readonly checkpoints: CheckpointStore,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Finishes the stream at hand. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Works through everything that is in the feed now. */
  async catchUp(): Promise<void> {
    for (let slot = 0; slot < this.store.slots; slot++) {
      while (!this.#stopping.signal.aborted && (await this.#projectBatch(slot)) === BATCH);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#lookOnce().catch(this.onError);
      await sleep(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
    }
  }

  async #lookOnce(): Promise<void> {
    await this.catchUp();
    if (performance.now() - this.#retriedParkedAt < RETRY_PARKED_INTERVAL) return;
    this.#retriedParkedAt = performance.now();
    await this.projection.retryParked(streamRef);
  }

  async #projectBatch(slot: number): Promise<number> {
    const after = await this.checkpoints.position(projectorName, slot);
    const commits = await this.store.readFeed(slot, after, BATCH);
    const streams = new Map<string, StreamRef<unknown>>();
    for (const { stream, partition } of commits) {
      const ref = streamRef(stream, partition);
      if (ref) streams.set(stream, ref);
    }
    for (const ref of streams.values()) {
      if (this.#stopping.signal.aborted) return 0;
      await this.projection.project(ref);
    }
    const last = commits.at(-1);
    if (last) await this.checkpoints.advance(projectorName, slot, last.position);
    return commits.length;
  }
}
