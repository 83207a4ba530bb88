import { collectionOf, reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import type { KeyOwner } from '../projecting/key-owners.js';

/** An entry of the index of SSH keys. `_id` is the account id and the first prefix, with a slash between them. */
type KeyOwnerDocument = Readonly<{ _id: string; prefixes: readonly number[]; account: number }>;

/** The number rises only together with the schema number of the key rings, so that the projector fills the new collection. */
export const KEY_OWNERS = 'ssh_key_owners_1';
/** Index on both prefixes and the account. */
const PREFIX_INDEX = 'prefix_account';

const schema = new mongoose.Schema<KeyOwnerDocument>(
  { _id: String, prefixes: [Number], account: Number },
  { collection: KEY_OWNERS, strict: 'throw', versionKey: false },
).index({ prefixes: 1, account: 1 }, { name: PREFIX_INDEX });

export const keyOwnerModel = (connection: Connection) => connection.model(KEY_OWNERS, schema);

const DUPLICATE_KEY = 11_000;

export class MongoKeyOwners {
  readonly #owners: mongo.Collection<KeyOwnerDocument>;

  constructor(connection: Connection) {
    this.#owners = collectionOf<KeyOwnerDocument>(connection, KEY_OWNERS);
  }

  async add(owners: readonly KeyOwner[]): Promise<void> {
    if (owners.length === 0) return;
    const documents = owners.map((owner) => {
      const { accountId: account, prefixes } = owner;
      return { _id: idOf(owner), prefixes: [...prefixes], account };
    });
    // Inserts cost half of upserts. Repeats are rare: a key that was added again, or a page that was read again.
    await reaching(() => this.#owners.insertMany(documents, { ordered: false }).catch(ignoreRepeats));
  }

  async remove(owners: readonly KeyOwner[]): Promise<void> {
    await reaching(() => this.#owners.deleteMany({ _id: { $in: owners.map(idOf) } }));
  }

  async missing(owners: readonly KeyOwner[]): Promise<KeyOwner[]> {
    const filter = { _id: { $in: owners.map(idOf) } };
    const found = await reaching(() => this.#owners.find(filter).toArray());
    const known = new Map(found.map(({ _id, prefixes }) => [_id, prefixes.join()]));
    return owners.filter((owner) => known.get(idOf(owner)) !== owner.prefixes.join());
  }

  async find(prefix: number, after: number, limit: number): Promise<number[]> {
    const filter = { prefixes: prefix, account: { $gt: after } };
    const options = { limit, sort: { account: 1 }, hint: PREFIX_INDEX, projection: { account: 1 } } as const;
    const found = await reaching(() => this.#owners.find(filter, options).toArray());
    return found.map(({ account }) => account);
  }
}

const idOf = ({ accountId, prefixes: [sha256] }: KeyOwner) => `${accountId}/${sha256}`;

/** Returns if every failed insert met an existing entry; rethrows otherwise. */
function ignoreRepeats(error: unknown): void {
  const { MongoBulkWriteError } = mongoose.mongo;
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
  const failed = error.result.getWriteErrors();
  // The driver also wraps what kept it from sending the batch, and then no insert has an error of its own.
  const wasSent = failed.length > 0 && !(error.errorResponse instanceof Error);
  if (!wasSent || failed.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
}
