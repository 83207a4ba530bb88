import { connectOptions, MongoEventStore, MongoFeedLeases } from '@keyfold/event-store/mongo';
import { projectorName } from '@keyfold/projections';
import { MongoReadModelStore } from '@keyfold/projections/mongo';
import mongoose, { type Connection } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyStopped } from './read-model-check.js';

/** Reads the database of a running service on separate connections. */
export class StoreInspection {
  readonly events: MongoEventStore;
  readonly leases: MongoFeedLeases;
  readonly documents: MongoReadModelStore;

  private constructor(readonly connection: Connection) {
    this.events = new MongoEventStore(connection);
    this.leases = new MongoFeedLeases(connection);
    this.documents = new MongoReadModelStore(connection);
  }

  static async open(uri: string): Promise<StoreInspection> {
    return new StoreInspection(await mongoose.createConnection(uri, connectOptions).asPromise());
  }

  async close(): Promise<void> {
    await this.events.close();
    await this.documents.close();
    await this.connection.close();
  }

  untilProjected(timeout?: number): Promise<void> {
    return this.untilRead(projectorName, timeout);
  }

  /** Waits until a reader has passed every commit. Throws with the slots that lag. */
  async untilRead(reader: string, timeout = 60_000): Promise<void> {
    const deadline = Date.now() + timeout;
    for (;;) {
      const waiting = await this.#slotsBehind(reader);
      if (waiting.length === 0) return;
      if (Date.now() > deadline)
        throw new Error(`${reader} still lags after ${timeout} ms: slots ${waiting.join(', ')}`);
      await sleep(100);
    }
  }

  /** Waits for the projector, then verifies the feed, every document and every list. Nobody may write meanwhile. */
  async verify(): Promise<Awaited<ReturnType<typeof verifyStopped>>> {
    await this.untilProjected();
    return verifyStopped(this.events, this.documents, this.leases);
  }

  /** Returns the number of slots of each worker, by owner name. */
  async sharesOfWorkers(): Promise<Map<string, number>> {
    const shares = new Map<string, number>();
    for (const { owner } of await this.leases.progress(projectorName)) {
      if (owner !== undefined) shares.set(owner, (shares.get(owner) ?? 0) + 1);
    }
    return shares;
  }

  async #slotsBehind(reader: string): Promise<number[]> {
    const reached = new Map(Array.from({ length: this.events.slots }, (_, slot) => [slot, 0]));
    for (const { slot, position } of await this.leases.progress(reader)) reached.set(slot, position);
    return this.events.slotsWithNews(reached);
  }
}
