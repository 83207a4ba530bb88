import { collectionOf, PrimaryBarrier, reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { ParkedAccounts, type ParkedAccount } from '../relay/parked-accounts.js';

const DUPLICATE_KEY = 11_000;
/** The collections of parked accounts: of the relay of messages, and of that to OpenList. */
const NAMES = ['parked_relays', 'parked_mirrors'] as const;

export type ParkedAccountsName = (typeof NAMES)[number];

/** `_id` is `<slot>/<partition>`. `retry` is true while a retry is requested. */
type ParkedAccountDocument = ParkedAccount & Readonly<{ _id: string; retry?: boolean }>;

const schemas = NAMES.map((collection) => ({
  collection,
  schema: new mongoose.Schema<ParkedAccountDocument>(
    {
      _id: String,
      slot: Number,
      partition: String,
      position: Number,
      error: String,
      at: Number,
      epoch: Number,
      retry: Boolean,
    },
    { collection, strict: 'throw', versionKey: false },
  ),
}));

/** Declares the collections of this library on a connection. */
export const messagingModels = (connection: Connection) =>
  schemas.map(({ collection, schema }) => connection.model(collection, schema));

export class MongoParkedAccounts extends ParkedAccounts {
  readonly #parked: mongo.Collection<ParkedAccountDocument>;
  readonly #barrier: PrimaryBarrier;

  constructor(connection: Connection, name: ParkedAccountsName) {
    super();
    this.#parked = collectionOf(connection, name);
    this.#barrier = new PrimaryBarrier(connection, collectionOf(connection, name));
  }

  async park(parked: ParkedAccount): Promise<void> {
    const filter = { _id: idOf(parked), epoch: { $lte: parked.epoch } };
    await reaching(() =>
      this.#parked.updateOne(filter, { $set: parked }, { upsert: true }).catch(throwUnlessDuplicate),
    );
  }

  async unpark(parked: ParkedAccount): Promise<void> {
    const { position, epoch } = parked;
    await reaching(() => this.#parked.deleteOne({ _id: idOf(parked), position, epoch }));
  }

  /** Reads through the primary barrier: without it, a new primary could miss a record, and the account's events would be lost. */
  async all(slot?: number): Promise<ParkedAccount[]> {
    const filter = slot === undefined ? {} : { slot };
    const found = await this.#barrier.read(() => this.#parked.find(filter, { sort: { at: 1 } }).toArray());
    return found.map(parkedAccount);
  }

  async page(offset: number, limit: number): Promise<Readonly<{ items: ParkedAccount[]; total: number }>> {
    const [total, found] = await Promise.all([
      reaching(() => this.#parked.countDocuments()),
      limit === 0
        ? []
        : reaching(() => this.#parked.find({}, { sort: { at: 1, _id: 1 }, skip: offset, limit }).toArray()),
    ]);
    return { items: found.map(parkedAccount), total };
  }

  async requestRetry(partition: string): Promise<boolean> {
    const requested = await reaching(() => this.#parked.updateMany({ partition }, { $set: { retry: true } }));
    return requested.matchedCount > 0;
  }

  async takeRetries(slots: readonly number[]): Promise<Pick<ParkedAccount, 'slot' | 'partition'>[]> {
    const filter = { retry: true, slot: { $in: [...slots] } };
    const found = await reaching(() => this.#parked.find(filter).toArray());
    const $in = found.map(({ _id }) => _id);
    if ($in.length > 0) await reaching(() => this.#parked.updateMany({ _id: { $in } }, { $unset: { retry: true } }));
    return found.map(({ slot, partition }) => ({ slot, partition }));
  }
}

const parkedAccount = ({ _id, retry: _retry, ...parked }: ParkedAccountDocument): ParkedAccount => parked;

const idOf = ({ slot, partition }: ParkedAccount) => `${slot}/${partition}`;

/** Ignores the duplicate key that the upsert hits if the stored record has a later epoch. */
function throwUnlessDuplicate(error: unknown): void {
  if (!(error instanceof mongoose.mongo.MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
}
