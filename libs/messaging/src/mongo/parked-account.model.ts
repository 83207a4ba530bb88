import mongoose, { type Connection } from 'mongoose';
import type { ParkedAccount } from '../relay/parked-accounts.js';

/** A parked account; `_id` is `<slot>/<partition>`. */
export type ParkedAccountDocument = ParkedAccount & Readonly<{ _id: string }>;

export const PARKED_RELAYS = 'parked_relays';

const parkedAccountSchema = new mongoose.Schema<ParkedAccountDocument>(
  { _id: String, slot: Number, partition: String, position: Number, error: String, at: Number, epoch: Number },
  { collection: PARKED_RELAYS, strict: 'throw', versionKey: false },
);

/** The collections of the messages' side, declared on a connection. */
export const messagingModels = (connection: Connection) => [connection.model(PARKED_RELAYS, parkedAccountSchema)];
