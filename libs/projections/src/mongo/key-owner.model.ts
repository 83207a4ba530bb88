import mongoose, { type Connection } from 'mongoose';

/** An entry of the index of SSH keys. `_id` is the SHA-256 fingerprint, a space and the padded account id. */
export type KeyOwnerDocument = Readonly<{ _id: string; md5: string; account: number }>;

/** The number rises only together with the schema number of the key rings, so that the projector fills the new collection. */
export const KEY_OWNERS = 'ssh_key_owners_1';
export const MD5_INDEX = 'md5_account';

const schema = new mongoose.Schema<KeyOwnerDocument>(
  { _id: String, md5: String, account: Number },
  { collection: KEY_OWNERS, strict: 'throw', versionKey: false },
).index({ md5: 1, account: 1 }, { name: MD5_INDEX });

/** Declares the collection of the index of SSH keys on a connection. */
export const keyOwnerModel = (connection: Connection) => connection.model(KEY_OWNERS, schema);
