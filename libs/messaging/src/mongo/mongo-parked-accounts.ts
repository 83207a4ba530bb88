import { collectionOf, PrimaryBarrier, reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { ParkedAccounts, type ParkedAccount } from '../relay/parked-accounts.js';
import { PARKED_ACCOUNTS, type ParkedAccountDocument } from './parked-account.model.js';

const DUPLICATE_KEY = 11_000;

/** Stores parked accounts in MongoDB. */
export class MongoParkedAccounts extends ParkedAccounts {
  readonly #parked: mongo.Collection<ParkedAccountDocument>;
  readonly #barrier: PrimaryBarrier;

  constructor(connection: Connection) {
    super();
    this.#parked = collectionOf(connection, PARKED_ACCOUNTS);
    this.#barrier = new PrimaryBarrier(connection, collectionOf(connection, PARKED_ACCOUNTS));
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
    return found.map(({ _id, ...parked }) => parked);
  }
}

const idOf = ({ slot, partition }: ParkedAccount) => `${slot}/${partition}`;

/** Ignores the duplicate key that the upsert hits if the stored record has a later epoch. */
function throwUnlessDuplicate(error: unknown): void {
  if (!(error instanceof mongoose.mongo.MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
}
