import { Batcher, type Call } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import type { Connection, mongo } from 'mongoose';
import { SessionUses, type SessionUse } from '../session-uses.js';
import { SESSION_USES, type SessionUseDocument } from './session-uses.model.js';

/** A power failure may lose uses, so no write waits for the disk or for other members of the replica set. */
const RELAXED = { writeConcern: { w: 1, journal: false }, readConcern: { level: 'local' } } as const;
/** Maximum number of uses in one round trip. */
const USES = 256;

/** Stores the uses that all gateways report. Concurrent ones share a round trip. */
export class MongoSessionUses extends SessionUses {
  readonly #uses: mongo.Collection<SessionUseDocument>;
  readonly #records = new Batcher<SessionUse, void>((calls) => this.#record(calls), USES, isOutage);

  constructor(connection: Connection) {
    super();
    this.#uses = connection.getClient().db(connection.name).collection<SessionUseDocument>(SESSION_USES, RELAXED);
  }

  record(use: SessionUse): Promise<void> {
    return this.#records.submit(use);
  }

  async lastUses(sessions: readonly string[]): Promise<Map<string, number>> {
    const filter = { _id: { $in: [...sessions] } };
    const found = await reaching(() => this.#uses.find(filter, { projection: { at: 1 } }).toArray());
    return new Map(found.map(({ _id, at }) => [_id, at]));
  }

  async #record(calls: readonly Call<SessionUse, void>[]): Promise<void> {
    const updates = calls.map(({ item: { session, at, until } }) => ({
      updateOne: {
        filter: { _id: session },
        update: { $max: { at }, $setOnInsert: { until: new Date(until * 1000) } },
        upsert: true,
      },
    }));
    await reaching(() => this.#uses.bulkWrite(updates, { ordered: false }));
    for (const { resolve } of calls) resolve();
  }
}
