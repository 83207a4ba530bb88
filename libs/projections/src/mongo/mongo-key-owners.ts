import { collectionOf, reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import type { KeyOwner } from '../key-owners/key-owner.js';
import { KEY_OWNERS, type KeyOwnerDocument } from './key-owner.model.js';

const DUPLICATE_KEY = 11_000;

/** The index of SSH keys that all processes share. */
export class MongoKeyOwners {
  readonly #owners: mongo.Collection<KeyOwnerDocument>;

  constructor(connection: Connection) {
    this.#owners = collectionOf<KeyOwnerDocument>(connection, KEY_OWNERS);
  }

  async add(owners: readonly KeyOwner[]): Promise<void> {
    const documents = owners.map((owner) => ({ _id: idOf(owner), md5: owner.md5, account: owner.accountId }));
    if (documents.length === 0) return;
    // Inserts cost half of upserts. Repeats are rare: a key that was added again, or a page that was read again.
    await reaching(() => this.#owners.insertMany(documents, { ordered: false }).catch(ignoreRepeats));
  }

  async missing(owners: readonly KeyOwner[]): Promise<KeyOwner[]> {
    const filter = { _id: { $in: owners.map(idOf) } };
    const found = await reaching(() => this.#owners.find(filter).toArray());
    const known = new Map(found.map(({ _id, md5 }) => [_id, md5]));
    return owners.filter((owner) => known.get(idOf(owner)) !== owner.md5);
  }

  async find(fingerprint: string, after: number, limit: number): Promise<number[]> {
    const options = { limit, projection: { account: 1 } };
    // The character after the space ends the range.
    const range = { $gt: idOf({ fingerprint, accountId: after }), $lt: `${fingerprint}!` };
    const cursor = fingerprint.startsWith('MD5:')
      ? this.#owners.find({ md5: fingerprint, account: { $gt: after } }, options).sort({ account: 1 })
      : this.#owners.find({ _id: range }, options).sort({ _id: 1 });
    const found = await reaching(() => cursor.toArray());
    return found.map(({ account }) => account);
  }
}

/** Padded, so that the ids of a key sort by account. */
const idOf = ({ fingerprint, accountId }: Pick<KeyOwner, 'fingerprint' | 'accountId'>) =>
  `${fingerprint} ${String(accountId).padStart(16, '0')}`;

/** Returns if every failed insert met an existing entry; rethrows otherwise. */
function ignoreRepeats(error: unknown): void {
  const { MongoBulkWriteError } = mongoose.mongo;
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
  if (error.result.getWriteErrors().some(({ code }) => code !== DUPLICATE_KEY)) throw error;
}
