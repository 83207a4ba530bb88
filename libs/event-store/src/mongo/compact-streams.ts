import type { mongo } from 'mongoose';
import { COMPACTION } from '../compacted-stream.js';
import { StoreUnavailable } from '../event-store.errors.js';
import { reasonOf } from '../reason-of.js';
import { placeOf, type CommitDocument } from './commit.model.js';
import { reaching } from './mongo-connection.js';

/**
 * What a void commit keeps of the one that it replaces: place, stream, version, time, holds, and what tells a repeated command. The
 * `last` commits of streams take the next version as well (`CommitDocument`).
 */
const toVoid = (last: readonly number[]): mongo.Document[] => [
  {
    $set: {
      partition: { $concat: ['void-', { $toString: { $toInt: { $floor: { $divide: ['$_id', placeOf(1, 0)] } } } }] },
      version: { $cond: [{ $in: ['$_id', last] }, ['$version', { $add: ['$version', 1] }], '$version'] },
      'command.type': COMPACTION,
      actor: 'compaction',
      correlation: '$command.id',
      events: [],
    },
  },
  { $unset: ['session', 'clientCorrelation', 'causation', 'traceparent'] },
];

/**
 * Makes void commits of all commits of the streams, in one transaction: a stream that had lost only some would be another one. An append
 * to one of them waits for its end, a minute and a half at most where a process was killed inside. Throws `StoreUnavailable` also
 * where another process appends to the same streams or compacts them; then trying again later helps.
 */
export async function compactStreams(
  client: mongo.MongoClient,
  commits: mongo.Collection<CommitDocument>,
  streams: readonly string[],
): Promise<number> {
  if (streams.length === 0) return 0;
  const session = client.startSession();
  try {
    session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', journal: true } });
    const filter = { stream: { $in: [...streams] }, 'command.type': { $ne: COMPACTION } };
    const options = { session, hint: 'stream_version', projection: { stream: 1, version: 1 } };
    const found = await reaching(() => commits.find(filter, options).toArray());
    if (found.length > 0)
      await reaching(() => commits.updateMany(placesOf(found), toVoid(lastOfEach(found)), { session }));
    // Also where nothing is left: what another process has just compacted may not have its majority yet.
    await reaching(() => session.commitTransaction());
    return found.length;
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new StoreUnavailable(`a compaction did not come to its end: ${reasonOf(error)}`, { cause: error });
  } finally {
    await session.endSession().catch(() => undefined);
  }
}

const placesOf = (found: readonly CommitDocument[]) => ({ _id: { $in: found.map(({ _id }) => _id) } });

/** The places of the last commits of all streams. */
function lastOfEach(found: readonly CommitDocument[]): number[] {
  const last = new Map<string, number>();
  for (const { stream, _id: place } of found) last.set(stream, Math.max(place, last.get(stream) ?? 0));
  return [...last.values()];
}

/** Labels of the driver for what another try may well get. */
const isTransient = (error: unknown): error is Error =>
  error instanceof Error &&
  'hasErrorLabel' in error &&
  ['TransientTransactionError', 'UnknownTransactionCommitResult'].some((label) =>
    (error as mongo.MongoError).hasErrorLabel(label),
  );
