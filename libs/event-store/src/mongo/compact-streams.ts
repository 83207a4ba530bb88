import type { mongo } from 'mongoose';
import { COMPACTION, voidStreamOf } from '../compaction.js';
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

/** Removes what else could identify a person from void commits. */
const ERASURE: mongo.Document[] = [{ $set: { 'command.hash': '' } }, { $unset: 'holds' }];

/** Keys in one write, which has to be answered within the timeout of a call. */
const KEYS_WRITTEN = 1_000;

/**
 * Turns all commits of the streams into void ones, in one transaction: a partly compacted stream would fold to a different state. `erase`
 * also removes holds and hashes. Concurrent appends to these streams wait for its end, up to 90 seconds if a process is killed in the middle. Throws
 * `StoreUnavailable` also if another process is appending to the streams or compacting them; retry later.
 */
export async function compactStreams(
  client: mongo.MongoClient,
  commits: mongo.Collection<CommitDocument>,
  streams: readonly string[],
  identity: 'keep' | 'erase',
): Promise<number> {
  if (streams.length === 0) return 0;
  const session = client.startSession();
  try {
    session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', journal: true } });
    const find = (filter: mongo.Filter<CommitDocument>) => {
      const options = { session, hint: 'stream_version', projection: { stream: 1, version: 1 } };
      return reaching(() => commits.find(filter, options).toArray());
    };
    const update = async (each: readonly CommitDocument[], change: mongo.Document[]) => {
      for (let from = 0; from < each.length; from += KEYS_WRITTEN) {
        const _id = { $in: each.slice(from, from + KEYS_WRITTEN).map((commit) => commit._id) };
        await reaching(() => commits.updateMany({ _id }, change, { session }));
      }
    };
    const found = await find({ stream: { $in: [...streams] }, 'command.type': { $ne: COMPACTION } });
    await update(found, toVoid(lastOfEach(found)));
    if (identity === 'erase') {
      const names = [...streams, ...streams.map(voidStreamOf)];
      await update(
        await find({ stream: { $in: names }, $or: [{ 'command.hash': { $ne: '' } }, { holds: { $exists: true } }] }),
        ERASURE,
      );
    }
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
