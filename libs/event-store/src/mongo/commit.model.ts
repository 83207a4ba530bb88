import mongoose, { type Connection } from 'mongoose';
import { crc32 } from 'node:zlib';
import type { Commit } from '../commit.js';
import { CLOSE_HOLE, compactedStreamOf, isCompacted, voidStreamOf } from '../compaction.js';

/**
 * A stored commit. `_id` is its feed key: `slot * 2^40 + position`. A void commit of a compacted stream keeps the stream's name and its
 * version, so that the unique index refuses further appends. The last one also occupies the next version.
 */
export type CommitDocument = Omit<Commit, 'position' | 'version'> &
  Readonly<{ _id: number; version: number | readonly [own: number, next: number] }>;

/** The next number of a `Counter`. */
export type CounterDocument = Readonly<{ _id: string; next: number }>;

export const COMMITS = 'commits';
export const COUNTERS = 'counters';

/** Number of feeds. It can never change, because the key of a commit contains its slot. */
export const SLOTS = 64;
const POSITIONS = 2 ** 40;

/** Returns the slot of a partition, which never changes (CRC-32 as in gzip: RFC 1952, section 8). */
export const slotOf = (partition: string) => crc32(partition) % SLOTS;

/** The feed key of a position of a slot. It sorts by slot, then by position. */
export const feedKeyOf = (slot: number, position: number) => slot * POSITIONS + position;
export const slotOfKey = (key: number) => Math.floor(key / POSITIONS);
export const positionOfKey = (key: number) => key % POSITIONS;

/** Converts a stored commit to the one that the port returns. */
export const toCommit = ({ _id, version, ...commit }: CommitDocument): Commit => ({
  ...commit,
  stream: streamOf(commit),
  version: typeof version === 'number' ? version : version[0],
  position: positionOfKey(_id),
});

/** Returns the stream that a commit belongs to for the port. Void commits older than decision 41 are stored under that name. */
export const streamOf = ({ stream, command }: Pick<Commit, 'stream' | 'command'>) =>
  isCompacted({ command }) && compactedStreamOf(stream) === undefined ? voidStreamOf(stream) : stream;

/** Lists holds from the highest key down, so that the last one with a prefix is found first. */
export const LAST_HOLD = 'last_hold';

/** Lists the commits of a partition, and all commits, by time. */
export const PARTITION_HISTORY = 'partition_history';
export const HISTORY = 'history';

/** Only void commits have no events. */
export const IS_NOT_VOID = { 'events.0': { $exists: true } };

/** Appends are safe only with the unique indexes. */
const commitSchema = new mongoose.Schema<CommitDocument>(
  { _id: Number, partition: String, stream: String, version: Number },
  { collection: COMMITS, strict: 'throw', versionKey: false, minimize: false },
)
  .index({ stream: 1, version: 1 }, { unique: true, name: 'stream_version' })
  .index({ 'command.id': 1 }, { unique: true, name: 'command_id' })
  .index({ holds: 1 }, { unique: true, sparse: true, name: 'holds' })
  .index({ holds: -1 }, { sparse: true, name: LAST_HOLD })
  .index({ partition: 1, at: 1, _id: 1 }, { name: PARTITION_HISTORY })
  .index({ at: 1, _id: 1 }, { name: HISTORY, partialFilterExpression: IS_NOT_VOID });

const counterSchema = new mongoose.Schema<CounterDocument>(
  { _id: String, next: Number },
  { collection: COUNTERS, strict: 'throw', versionKey: false },
);

export const counterModel = (connection: Connection) => connection.model<CounterDocument>(COUNTERS, counterSchema);

export const eventStoreModels = (connection: Connection) => [
  connection.model(COMMITS, commitSchema),
  counterModel(connection),
];

/** Creates the commit that closes a hole in the feed. It belongs to no account, and every reader skips it. */
export function voidCommit(slot: number, position: number): CommitDocument {
  const stream = `void-${slot}`;
  return {
    _id: feedKeyOf(slot, position),
    partition: stream,
    stream,
    version: position,
    command: { id: `void:${slot}:${position}`, type: CLOSE_HOLE, hash: '' },
    at: Date.now(),
    actor: 'feed',
    correlation: `void:${slot}:${position}`,
    events: [],
  };
}
