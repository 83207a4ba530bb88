import { connectOptions, MongoEventStore, MongoFeedLeases } from '@keyfold/event-store/mongo';
import { projectorName } from '@keyfold/projections';
import { MongoReadModelStore } from '@keyfold/projections/mongo';
import mongoose, { type Connection } from 'mongoose';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyStopped } from './read-model-check.js';

/** Looks into the database of a running service with connections of its own. */
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

  /** Waits until the projector has passed every commit. Throws which slots it has not. */
  async untilProjected(patience = 60_000): Promise<void> {
    const deadline = Date.now() + patience;
    for (;;) {
      const waiting = await this.#slotsBehind();
      if (waiting.length === 0) return;
      if (Date.now() > deadline) throw new Error(`not projected within ${patience} ms: slots ${waiting.join(', ')}`);
      await pause(100);
    }
  }

  /** Waits for the projector, then compares the feed, every document and every list with what all commits lead to. For when nobody writes. */
  async verify(): Promise<Awaited<ReturnType<typeof verifyStopped>>> {
    await this.untilProjected();
    return verifyStopped(this.events, this.documents, this.leases);
  }

  /** How many slots each worker holds, by the name that it has among the owners. */
  async sharesOfWorkers(): Promise<Map<string, number>> {
    const shares = new Map<string, number>();
    for (const { owner } of await this.leases.progress(projectorName)) {
      if (owner !== undefined) shares.set(owner, (shares.get(owner) ?? 0) + 1);
    }
    return shares;
  }

  async #slotsBehind(): Promise<number[]> {
    const reached = new Map(Array.from({ length: this.events.slots }, (_, slot) => [slot, 0]));
    for (const { slot, position } of await this.leases.progress(projectorName)) reached.set(slot, position);
    return this.events.slotsWithNews(reached);
  }
}
