import mongoose, { type Connection } from 'mongoose';

/** An entry of the index of SSH keys. `_id` is the account id and the first prefix, with a slash between them. */
export type KeyOwnerDocument = Readonly<{ _id: string; prefixes: readonly number[]; account: number }>;

/** The number rises only together with the schema number of the key rings, so that the projector fills the new collection. */
export const KEY_OWNERS = 'ssh_key_owners_1';
/** Index on both prefixes and the account. */
export const PREFIX_INDEX = 'prefix_account';

const schema = new mongoose.Schema<KeyOwnerDocument>(
  { _id: String, prefixes: [Number], account: Number },
  { collection: KEY_OWNERS, strict: 'throw', versionKey: false },
).index({ prefixes: 1, account: 1 }, { name: PREFIX_INDEX });

/** Declares the collection of the index of SSH keys on a connection. */
export const keyOwnerModel = (connection: Connection) => connection.model(KEY_OWNERS, schema);
