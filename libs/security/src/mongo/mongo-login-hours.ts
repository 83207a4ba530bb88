import { reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { KEPT_HOURS, LoginHours, type LoginHour } from '../throttle/login-hours.js';

/** The counts of the hour that is the `_id`. MongoDB removes them after `until`. */
type LoginHourDocument = Readonly<{ _id: number; accepted: number; refused: number; until: Date }>;

const LOGIN_HOURS = 'login_hours';
const HOUR_MS = 3_600_000;

const schema = new mongoose.Schema<LoginHourDocument>(
  { _id: Number, accepted: Number, refused: Number, until: Date },
  { collection: LOGIN_HOURS, strict: 'throw', versionKey: false },
).index({ until: 1 }, { expireAfterSeconds: 0, name: 'until' });

/** Declares the collection of login counts on a connection. */
export const loginHourModels = (connection: Connection) => [connection.model(LOGIN_HOURS, schema)];

/** A power failure may lose counts, so no write waits for the disk or for other members of the replica set. */
const RELAXED = { writeConcern: { w: 1, journal: false }, readConcern: { level: 'local' } } as const;

/** Stores the counts of all gateways. */
export class MongoLoginHours extends LoginHours {
  readonly #hours: mongo.Collection<LoginHourDocument>;

  constructor(connection: Connection) {
    super();
    this.#hours = connection.getClient().db(connection.name).collection<LoginHourDocument>(LOGIN_HOURS, RELAXED);
  }

  async add(counts: readonly LoginHour[]): Promise<void> {
    const updates = counts.map(({ hour, accepted, refused }) => ({
      updateOne: {
        filter: { _id: hour },
        update: { $inc: { accepted, refused }, $set: { until: new Date((hour + KEPT_HOURS) * HOUR_MS) } },
        upsert: true,
      },
    }));
    if (updates.length > 0) await reaching(() => this.#hours.bulkWrite(updates, { ordered: false }));
  }

  async between(first: number, last: number): Promise<LoginHour[]> {
    const filter = { _id: { $gte: first, $lte: last } };
    const found = await reaching(() => this.#hours.find(filter, { sort: { _id: 1 } }).toArray());
    return found.map(({ _id: hour, accepted, refused }) => ({ hour, accepted, refused }));
  }
}
