import mongoose, { type Connection } from 'mongoose';
import { crc32 } from 'node:zlib';
import type { Commit } from '../commit.js';
import { compactedStreamOf, isCompacted, voidStreamOf } from '../compacted-stream.js';

/**
 * A commit as it is stored; `_id` is its place: `slot * 2^40 + ordinal`. A void commit of a compacted stream keeps the name of the
 * stream and its version, so that the unique index refuses them to every append; the last one takes the next version as well.
 */
export type CommitDocument = Omit<Commit, 'position' | 'version'> &
  Readonly<{ _id: number; version: number | readonly [own: number, next: number] }>;

/** A number that is handed out once (`Counter`). */
export type CounterDocument = Readonly<{ _id: string; next: number }>;

export const COMMITS = 'commits';
export const COUNTERS = 'counters';

/** Feeds into which commits are divided; for ever, because a commit's place contains its slot. */
export const SLOTS = 64;
const ORDINALS = 2 ** 40;

/** The feed of a partition, for ever (RFC 1952 section 8: CRC-32 as in gzip). */
export const slotOf = (partition: string) => crc32(partition) % SLOTS;

export const placeOf = (slot: number, ordinal: number) => slot * ORDINALS + ordinal;
export const slotOfPlace = (place: number) => Math.floor(place / ORDINALS);
export const ordinalOfPlace = (place: number) => place % ORDINALS;

/** A commit as the port hands it out. */
export const toCommit = ({ _id, version, ...commit }: CommitDocument): Commit => ({
  ...commit,
  stream: streamOf(commit),
  version: typeof version === 'number' ? version : version[0],
  position: ordinalOfPlace(_id),
});

/** Where the port finds a commit. Void commits that are older than decision 41 are stored under that name. */
export const streamOf = ({ stream, command }: Pick<Commit, 'stream' | 'command'>) =>
  isCompacted({ command }) && compactedStreamOf(stream) === undefined ? voidStreamOf(stream) : stream;

/** Lists holds from the highest key down, so that the last one with a prefix is the first that is found. */
export const LAST_HOLD = 'last_hold';

/** The unique indexes are what makes appends safe. */
const commitSchema = new mongoose.Schema<CommitDocument>(
  { _id: Number, partition: String, stream: String, version: Number },
  { collection: COMMITS, strict: 'throw', versionKey: false, minimize: false },
)
  .index({ stream: 1, version: 1 }, { unique: true, name: 'stream_version' })
  .index({ 'command.id': 1 }, { unique: true, name: 'command_id' })
  .index({ holds: 1 }, { unique: true, sparse: true, name: 'holds' })
  .index({ holds: -1 }, { sparse: true, name: LAST_HOLD });

const counterSchema = new mongoose.Schema<CounterDocument>(
  { _id: String, next: Number },
  { collection: COUNTERS, strict: 'throw', versionKey: false },
);

/** The collections of the event store, declared on a connection. */
export const eventStoreModels = (connection: Connection) => [
  connection.model(COMMITS, commitSchema),
  connection.model(COUNTERS, counterSchema),
];
