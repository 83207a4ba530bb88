import type { mongo } from 'mongoose';
import { COMPACTION } from '../compaction.js';
import { StoreUnavailable } from '../event-store.errors.js';
import { reasonOf } from '@keyfold/reporting';
import { feedKeyOf, type CommitDocument } from './commit.model.js';
import { reaching } from './mongo-connection.js';

/**
 * Turns a commit into a void one. It keeps its key, stream, version, time, holds, and the id and hash of its command. The `last` commit of
 * a stream also occupies the next version (`CommitDocument`).
 */
const toVoid = (last: readonly number[]): mongo.Document[] => [
  {
    $set: {
      partition: { $concat: ['void-', { $toString: { $toInt: { $floor: { $divide: ['$_id', feedKeyOf(1, 0)] } } } }] },
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
 * Turns all commits of the streams into void ones, in one transaction: a partly compacted stream would fold to a different state.
 * Concurrent appends to these streams wait for its end, up to 90 seconds if a process is killed in the middle. Throws
 * `StoreUnavailable` also if another process is appending to the streams or compacting them; retry later.
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
      await reaching(() => commits.updateMany(keysOf(found), toVoid(lastOfEach(found)), { session }));
    // Even if nothing is left to do: the compaction of another process may not have its majority yet.
    await reaching(() => session.commitTransaction());
    return found.length;
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new StoreUnavailable(`cannot finish the compaction: ${reasonOf(error)}`, { cause: error });
  } finally {
    await session.endSession().catch(() => undefined);
  }
}

const keysOf = (found: readonly CommitDocument[]) => ({ _id: { $in: found.map(({ _id }) => _id) } });

/** Returns the keys of the last commits of all streams. */
function lastOfEach(found: readonly CommitDocument[]): number[] {
  const last = new Map<string, number>();
  for (const { stream, _id } of found) last.set(stream, Math.max(_id, last.get(stream) ?? 0));
  return [...last.values()];
}

/** Whether the driver labels the error as retryable. */
const isTransient = (error: unknown): error is Error =>
  error instanceof Error &&
  'hasErrorLabel' in error &&
  ['TransientTransactionError', 'UnknownTransactionCommitResult'].some((label) =>
    (error as mongo.MongoError).hasErrorLabel(label),
  );
