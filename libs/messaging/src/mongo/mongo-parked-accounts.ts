import { collectionOf, PrimaryBarrier, reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { ParkedAccounts, type ParkedAccount } from '../relay/parked-accounts.js';
import { PARKED_RELAYS, type ParkedAccountDocument } from './parked-account.model.js';

const DUPLICATE_KEY = 11_000;

/** Parked accounts as documents of MongoDB: `parked-relay.model.ts`. */
export class MongoParkedAccounts extends ParkedAccounts {
  readonly #parked: mongo.Collection<ParkedAccountDocument>;
  readonly #barrier: PrimaryBarrier;

  constructor(connection: Connection) {
    super();
    this.#parked = collectionOf(connection, PARKED_RELAYS);
    this.#barrier = new PrimaryBarrier(connection, collectionOf(connection, PARKED_RELAYS));
  }

  async park(parked: ParkedAccount): Promise<void> {
    const filter = { _id: idOf(parked), epoch: { $lte: parked.epoch } };
    await reaching(() => this.#parked.updateOne(filter, { $set: parked }, { upsert: true }).catch(throwUnlessLater));
  }

  async unpark(parked: ParkedAccount): Promise<void> {
    const { position, epoch } = parked;
    await reaching(() => this.#parked.deleteOne({ _id: idOf(parked), position, epoch }));
  }

  /** A record that a new primary does not show yet would be taken for none, and its account for one that waits for nothing. */
  async all(slot?: number): Promise<ParkedAccount[]> {
    const filter = slot === undefined ? {} : { slot };
    const found = await this.#barrier.read(() => this.#parked.find(filter, { sort: { at: 1 } }).toArray());
    return found.map(({ _id, ...parked }) => parked);
  }
}

const idOf = ({ slot, partition }: ParkedAccount) => `${slot}/${partition}`;

/** A record of a later epoch does not match, so that the upsert would make a second one. */
function throwUnlessLater(error: unknown): void {
  if (!(error instanceof mongoose.mongo.MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
}
