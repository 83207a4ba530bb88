import mongoose, { type Connection } from 'mongoose';
import type { ParkedRelay } from '../relay/parked-relays.js';

/** A parked account; `_id` is `<slot>/<partition>`. */
export type ParkedRelayDocument = ParkedRelay & Readonly<{ _id: string }>;

export const PARKED_RELAYS = 'parked_relays';

const parkedRelaySchema = new mongoose.Schema<ParkedRelayDocument>(
  { _id: String, slot: Number, partition: String, position: Number, error: String, at: Number, epoch: Number },
  { collection: PARKED_RELAYS, strict: 'throw', versionKey: false },
);

/** The collections of the messages' side, declared on a connection. */
export const messagingModels = (connection: Connection) => [connection.model(PARKED_RELAYS, parkedRelaySchema)];
