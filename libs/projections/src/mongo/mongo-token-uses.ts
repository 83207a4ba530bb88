import { Batcher, type Call } from '@keyfold/concurrency';
import { isOutage } from '@keyfold/event-store';
import { reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { TokenUses, type TokenUse } from '../token-uses.js';

/** The last use of the token whose `TokenUse.token` is the `_id`, in unix seconds. MongoDB removes it after `until`. */
type TokenUseDocument = Readonly<{ _id: string; at: number; until: Date }>;

/** The name is from the time when only sessions had tokens. */
const TOKEN_USES = 'session_uses';

const schema = new mongoose.Schema<TokenUseDocument>(
  { _id: String, at: Number, until: Date },
  { collection: TOKEN_USES, strict: 'throw', versionKey: false },
).index({ until: 1 }, { expireAfterSeconds: 0, name: 'until' });

export const tokenUseModels = (connection: Connection) => [connection.model(TOKEN_USES, schema)];

/** A power failure may lose uses, so no write waits for the disk or for other members of the replica set. */
const RELAXED = { writeConcern: { w: 1, journal: false }, readConcern: { level: 'local' } } as const;
/** Maximum number of uses in one round trip. */
const USES = 256;

/** Stores the uses that all gateways report. Concurrent ones share a round trip. */
export class MongoTokenUses extends TokenUses {
  readonly #uses: mongo.Collection<TokenUseDocument>;
  readonly #records = new Batcher<TokenUse, void>((calls) => this.#record(calls), USES, isOutage);

  constructor(connection: Connection) {
    super();
    this.#uses = connection.getClient().db(connection.name).collection<TokenUseDocument>(TOKEN_USES, RELAXED);
  }

  record(use: TokenUse): Promise<void> {
    return this.#records.submit(use);
  }

  async lastUses(tokens: readonly string[]): Promise<Map<string, number>> {
    const filter = { _id: { $in: [...tokens] } };
    const found = await reaching(() => this.#uses.find(filter, { projection: { at: 1 } }).toArray());
    return new Map(found.map(({ _id, at }) => [_id, at]));
  }

  async forget(tokens: readonly string[]): Promise<void> {
    await reaching(() => this.#uses.deleteMany({ _id: { $in: [...tokens] } }));
  }

  async #record(calls: readonly Call<TokenUse, void>[]): Promise<void> {
    const updates = calls.map(({ item: { token, at, until } }) => ({
      updateOne: {
        filter: { _id: token },
        update: { $max: { at, until: new Date(until * 1000) } },
        upsert: true,
      },
    }));
    await reaching(() => this.#uses.bulkWrite(updates, { ordered: false }));
    for (const { resolve } of calls) resolve();
  }
}
