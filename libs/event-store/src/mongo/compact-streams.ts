import type { mongo } from 'mongoose';
import { COMPACTION, voidStreamOf } from '../compacted-stream.js';
import { StoreUnavailable } from '../event-store.errors.js';
import { reasonOf } from '../reason-of.js';
import { placeOf, type CommitDocument } from './commit.model.js';
import { reaching } from './mongo-connection.js';

/** What a void commit keeps of the one that it replaces: place, version, time, holds, and what tells a repeated command. */
const TO_VOID: mongo.Document[] = [
  {
    $set: {
      partition: { $concat: ['void-', { $toString: { $toInt: { $floor: { $divide: ['$_id', placeOf(1, 0)] } } } }] },
      stream: { $concat: [voidStreamOf(''), '$stream'] },
      'command.type': COMPACTION,
      actor: 'compaction',
      correlation: '$command.id',
      events: [],
    },
  },
  { $unset: ['causation', 'traceparent'] },
];

/**
 * Makes void commits of all commits of the streams, in one transaction: a stream that had lost only some would be another one. A
 * process that is killed inside leaves them locked for a minute and a half at most, and nobody else writes to them. Throws `StoreUnavailable`
 * also where another process is at the same streams; then trying again later helps.
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
    const options = { session, hint: 'stream_version' };
    const { modifiedCount } = await reaching(() =>
      commits.updateMany({ stream: { $in: [...streams] } }, TO_VOID, options),
    );
    await reaching(() => session.commitTransaction());
    return modifiedCount;
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new StoreUnavailable(`a compaction did not come to its end: ${reasonOf(error)}`, { cause: error });
  } finally {
    await session.endSession().catch(() => undefined);
  }
}

/** Labels of the driver for what another try may well get. */
const isTransient = (error: unknown): error is Error =>
  error instanceof Error &&
  'hasErrorLabel' in error &&
  ['TransientTransactionError', 'UnknownTransactionCommitResult'].some((label) =>
    (error as mongo.MongoError).hasErrorLabel(label),
  );
