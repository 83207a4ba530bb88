import mongoose, { type Connection } from 'mongoose';
import type { ParkedAccount } from '../relay/parked-accounts.js';

/** The document of a parked account; `_id` is `<slot>/<partition>`. */
export type ParkedAccountDocument = ParkedAccount & Readonly<{ _id: string }>;

/** The name of the collection. */
export const PARKED_ACCOUNTS = 'parked_relays';

const parkedAccountSchema = new mongoose.Schema<ParkedAccountDocument>(
  { _id: String, slot: Number, partition: String, position: Number, error: String, at: Number, epoch: Number },
  { collection: PARKED_ACCOUNTS, strict: 'throw', versionKey: false },
);

/** Declares the collections of this library on a connection. */
export const messagingModels = (connection: Connection) => [connection.model(PARKED_ACCOUNTS, parkedAccountSchema)];
