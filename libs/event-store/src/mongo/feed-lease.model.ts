import mongoose, { type Connection } from 'mongoose';

/**
 * The lease of a slot for a reader together with the reader's checkpoint, so that one write can check the lease and move the checkpoint.
 * `_id` is `<reader>/<slot>`. Without `owner` the slot is free. Never deleted, because `epoch` must only grow.
 */
export type FeedLeaseDocument = Readonly<{
  _id: string;
  reader: string;
  slot: number;
  owner?: string;
  epoch: number;
  until?: Date;
  position: number;
}>;

/** A process that works for a reader. `_id` is `<reader>/<owner>`. */
export type FeedMemberDocument = Readonly<{ _id: string; reader: string; owner: string; until: Date }>;

export const FEED_LEASES = 'feed_leases';
export const FEED_MEMBERS = 'feed_members';

const leaseSchema = new mongoose.Schema<FeedLeaseDocument>(
  { _id: String, reader: String, slot: Number, owner: String, epoch: Number, until: Date, position: Number },
  { collection: FEED_LEASES, strict: 'throw', versionKey: false },
);

const memberSchema = new mongoose.Schema<FeedMemberDocument>(
  { _id: String, reader: String, owner: String, until: Date },
  { collection: FEED_MEMBERS, strict: 'throw', versionKey: false },
).index({ until: 1 }, { expireAfterSeconds: 0, name: 'until' });

/** Declares the collections of `MongoFeedLeases` on a connection. */
export const feedModels = (connection: Connection) => [
  connection.model(FEED_LEASES, leaseSchema),
  connection.model(FEED_MEMBERS, memberSchema),
];
