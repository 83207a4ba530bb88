import { Batcher, type Call } from '@keyfold/concurrency';
import mongoose, { type Connection, type Model, type PipelineStage } from 'mongoose';
import { isOutage } from '../../event-store.errors.js';
import { FeedLeases, LeaseLost, type Lease, type SlotProgress } from '../../feed/feed-leases.js';
import { reaching } from '../mongo-connection.js';

/**
 * The lease of a slot for a reader together with the reader's checkpoint, so that one write can check the lease and move the checkpoint.
 * `_id` is `<reader>/<slot>`. Without `owner` the slot is free. Kept while there is a checkpoint, because `epoch` must only grow.
 */
type FeedLeaseDocument = Readonly<{
  _id: string;
  reader: string;
  slot: number;
  owner?: string;
  epoch: number;
  until?: Date;
  position: number;
}>;

/** A process that works for a reader. `_id` is `<reader>/<owner>`. */
type FeedMemberDocument = Readonly<{ _id: string; reader: string; owner: string; until: Date }>;

const FEED_LEASES = 'feed_leases';
const FEED_MEMBERS = 'feed_members';

const leaseSchema = new mongoose.Schema<FeedLeaseDocument>(
  { _id: String, reader: String, slot: Number, owner: String, epoch: Number, until: Date, position: Number },
  { collection: FEED_LEASES, strict: 'throw', versionKey: false },
);

const memberSchema = new mongoose.Schema<FeedMemberDocument>(
  { _id: String, reader: String, owner: String, until: Date },
  { collection: FEED_MEMBERS, strict: 'throw', versionKey: false },
).index({ until: 1 }, { expireAfterSeconds: 0, name: 'until' });

const leaseModel = (connection: Connection) => connection.model<FeedLeaseDocument>(FEED_LEASES, leaseSchema);
const memberModel = (connection: Connection) => connection.model<FeedMemberDocument>(FEED_MEMBERS, memberSchema);
export const feedModels = (connection: Connection) => [leaseModel(connection), memberModel(connection)];

type Advance = Readonly<{ lease: Lease; position: number }>;

const DUPLICATE_KEY = 11_000;
const ADVANCES_PER_WRITE = 500;

/** Expressions for the server, because its clock decides. */
const after = (milliseconds: number) => ({ $add: ['$$NOW', milliseconds] });
const notExpired = { $gt: ['$until', '$$NOW'] };
/** Without it the server would read a name that starts with a dollar sign as a field. */
const literal = (text: string) => ({ $literal: text });

export class MongoFeedLeases extends FeedLeases {
  readonly #leases: Model<FeedLeaseDocument>;
  readonly #members: Model<FeedMemberDocument>;
  readonly #advances = new Batcher<Advance, void>((calls) => this.#advanceAll(calls), ADVANCES_PER_WRITE, isOutage);

  constructor(private readonly connection: Connection) {
    super();
    this.#leases = leaseModel(connection);
    this.#members = memberModel(connection);
  }

  async join(reader: string, owner: string, milliseconds: number): Promise<string[]> {
    const member = { reader: literal(reader), owner: literal(owner), until: after(milliseconds) };
    const filter = { _id: `${reader}/${owner}` };
    await reaching(() =>
      this.#members.updateOne(filter, [{ $set: member }], { upsert: true, updatePipeline: true }).exec(),
    );
    // Its own membership may have expired before this round trip.
    const others = { reader, owner: { $ne: owner }, $expr: notExpired };
    const members = await reaching(() => this.#members.find(others).lean().exec());
    return [owner, ...members.map((each) => each.owner)];
  }

  async take(reader: string, owner: string, slots: readonly number[], milliseconds: number): Promise<Lease[]> {
    if (slots.length === 0) return [];
    const writes = slots.map((slot) => ({
      updateOne: {
        filter: { _id: leaseId(reader, slot) },
        update: taking(reader, slot, owner, milliseconds),
        upsert: true,
      },
    }));
    await reaching(() => this.#leases.bulkWrite(writes, { ordered: false }).catch(throwUnlessTaken));
    const ids = slots.map((slot) => leaseId(reader, slot));
    const held = await reaching(() =>
      this.#leases
        .find({ _id: { $in: ids }, owner, $expr: notExpired })
        .lean()
        .exec(),
    );
    return held.map(({ slot, epoch, position }) => ({ reader, slot, owner, epoch, position }));
  }

  async release(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const updates = leases.map((lease) => ({
      updateOne: { filter: heldBy(lease), update: { $unset: { owner: true, until: true } } as const },
    }));
    await reaching(() => this.#leases.bulkWrite(updates, { ordered: false }));
  }

  async remove(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const writes = leases.map((lease) => ({ deleteOne: { filter: heldBy(lease) } }));
    await reaching(() => this.#leases.bulkWrite(writes, { ordered: false }));
  }

  async leave(reader: string, owner: string): Promise<void> {
    await reaching(() => this.#members.deleteOne({ _id: `${reader}/${owner}` }).exec());
  }

  advance(lease: Lease, position: number): Promise<void> {
    return this.#advances.submit({ lease, position });
  }

  async readers(): Promise<string[]> {
    const pipeline = [{ $match: { owner: { $exists: true }, $expr: notExpired } }, { $group: { _id: '$reader' } }];
    const found = await reaching(() => this.#leases.aggregate<{ _id: string }>(pipeline).exec());
    return found.map(({ _id: reader }) => reader);
  }

  async now(): Promise<number> {
    const hello = await reaching(() => this.connection.getClient().db('admin').command({ hello: 1 }));
    return (hello['localTime'] as Date).getTime();
  }

  async progress(reader: string): Promise<SlotProgress[]> {
    const owner = { $cond: [notExpired, '$owner', null] };
    const fields = { slot: true, position: true, owner } as const;
    const pipeline: PipelineStage[] = [{ $match: { reader } }, { $sort: { slot: 1 } }, { $project: fields }];
    const found = await reaching(() => this.#leases.aggregate<FeedLeaseDocument>(pipeline).exec());
    return found.map((each) => ({ slot: each.slot, position: each.position, owner: each.owner ?? undefined }));
  }

  async #advanceAll(calls: readonly Call<Advance, void>[]): Promise<void> {
    const writes = calls.map(({ item: { lease, position } }) => ({
      updateOne: { filter: heldBy(lease), update: { $max: { position } } },
    }));
    const { matchedCount } = await reaching(() => this.#leases.bulkWrite(writes, { ordered: false }));
    const isHeld = matchedCount === calls.length ? () => true : await this.#leasesHeldOf(calls);
    for (const { item, resolve, reject } of calls) {
      if (isHeld(item.lease)) resolve();
      else reject(new LeaseLost(item.lease));
    }
  }

  /** A pair of owner and epoch never returns, so a lease that is held now was held when the checkpoint was written. */
  async #leasesHeldOf(calls: readonly Call<Advance, void>[]): Promise<(lease: Lease) => boolean> {
    const ids = calls.map(({ item }) => heldBy(item.lease)._id);
    const found = await reaching(() =>
      this.#leases
        .find({ _id: { $in: ids } })
        .lean()
        .exec(),
    );
    const byId = new Map(found.map((document) => [document._id, document]));
    return (lease) => {
      const { _id, owner, epoch } = heldBy(lease);
      const document = byId.get(_id);
      return document?.owner === owner && document.epoch === epoch;
    };
  }
}

const leaseId = (reader: string, slot: number) => `${reader}/${slot}`;

/** Fences off previous owners: their writes match no document. */
const heldBy = ({ reader, slot, owner, epoch }: Lease) => ({ _id: leaseId(reader, slot), owner, epoch });

/** Takes a lease that is free, expired or already held, and leaves any other unchanged. The filter of an upsert cannot do this. */
function taking(reader: string, slot: number, owner: string, milliseconds: number) {
  const own = { $eq: ['$owner', literal(owner)] };
  const free = { $or: [own, { $not: [notExpired] }] };
  const epoch = { $ifNull: ['$epoch', 0] };
  return [
    {
      $set: {
        reader: literal(reader),
        slot,
        owner: { $cond: [free, literal(owner), '$owner'] },
        until: { $cond: [free, after(milliseconds), '$until'] },
        epoch: { $cond: [{ $and: [free, { $not: [own] }] }, { $add: [epoch, 1] }, epoch] },
        position: { $ifNull: ['$position', 0] },
      },
    },
  ];
}

/** If two processes insert the first document of a slot, the second one gets a duplicate key error and no lease. */
function throwUnlessTaken(error: unknown): void {
  const { MongoBulkWriteError } = mongoose.mongo;
  if (!(error instanceof MongoBulkWriteError) || error.err || error.result.getWriteConcernError()) throw error;
  if ([error.writeErrors].flat().some(({ code }) => code !== DUPLICATE_KEY)) throw error;
}
