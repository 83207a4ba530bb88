import mongoose, { type mongo } from 'mongoose';
import type { NewCommit, Commit } from '../../commit.js';
import { voidStreamOf } from '../../compaction.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../../event-store.errors.js';
import { replayed, type Appended } from '../../event-store.js';
import { COMMITS, feedKeyOf, slotOf, toCommit, type CommitDocument } from '../commit.model.js';
import { reaching } from '../mongo-connection.js';
import type { KnownVersions } from '../stream-tails.js';

/**
 * Stores commits at the first free positions of their slots. The server finds and takes the positions in one command, which leaves other
 * processes almost no time to interfere. The server reads its own data, whether acknowledged or not; its writes follow in the same
 * history, and it fails if it is no longer primary. The batch is unordered, so it may contain at most one commit of a slot. `atLeast`
 * holds positions that the slots have certainly reached; the closer they are, the less the server reads.
 */
export async function insertBehindLast(
  database: mongo.Db,
  commits: readonly NewCommit[],
  atLeast: ReadonlyMap<number, number>,
): Promise<void> {
  const slots = commits.map(({ partition }) => slotOf(partition));
  const reached = slots.map((slot) => feedKeyOf(slot, atLeast.get(slot) ?? 0));
  const beyond = slots.map((slot, index) => ({ _id: { $gt: reached[index], $lt: feedKeyOf(slot + 1, 0) } }));
  const slot = { $floor: { $divide: ['$_id', feedKeyOf(1, 0)] } };
  const commit = { $arrayElemAt: [{ $literal: commits }, { $indexOfArray: [{ $literal: slots }, '$_id'] }] };
  const pipeline = [
    { $documents: reached.map((key) => ({ _id: key })) },
    { $unionWith: { coll: COMMITS, pipeline: [{ $match: { $or: beyond } }, { $project: { _id: 1 } }] } },
    { $group: { _id: slot, last: { $max: '$_id' } } },
    { $replaceWith: { $mergeObjects: [{ _id: { $add: ['$last', 1] } }, commit] } },
    { $merge: { into: COMMITS, on: '_id', whenMatched: 'fail', whenNotMatched: 'insert' } },
  ];
  await database.aggregate(pipeline, { readConcern: { level: 'local' } }).toArray();
}

/**
 * The outcome of one document of an ordered batch. `collided`: another commit has its position. `refused`: it violates another unique
 * index. `untried`: it came after such a document.
 */
export type InsertOutcome = 'stored' | 'collided' | 'refused' | 'untried';

const DUPLICATE_KEY = 11_000;

/** Returns the outcomes of a batch that failed with this error; undefined if they are unknown. */
export function outcomesOf(error: unknown, size: number): InsertOutcome[] | undefined {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return undefined;
  const [first] = error.result.getWriteErrors();
  if (first?.code !== DUPLICATE_KEY) return undefined;
  const { index: refusedAt, errmsg } = first;
  const refusal = isPositionTaken(errmsg) ? 'collided' : 'refused';
  return Array.from({ length: size }, (_, index) =>
    index < refusedAt ? 'stored' : index === refusedAt ? refusal : 'untried',
  );
}

/** Whether documents of an unordered batch violate unique indexes; all others are stored. */
export const isDuplicate = (error: unknown): error is Error =>
  error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY;

/** Whether a duplicate key error concerns the feed key. The driver names the index only in the message. */
export const isPositionTaken = (message = '') => message.includes(' index: _id_ ');

/** Why a commit was not stored: it was stored before, or a refusal; undefined if only its position was taken. */
type Judgement = Appended | Error | undefined;

/**
 * Finds out why commits were not stored. A duplicate key error names only one unique index, although several may be violated. So it reads
 * everything that can conflict with the commits instead, in one round trip.
 */
export async function judgeAppends(
  commits: mongo.Collection<CommitDocument>,
  asked: readonly NewCommit[],
  versions: KnownVersions,
): Promise<Judgement[]> {
  // Few clauses with long lists: see `tailsFilter`.
  const byVersion = Map.groupBy(asked, ({ version }) => version);
  const holds = asked.flatMap((commit) => commit.holds ?? []);
  const filter = {
    $or: [
      { 'command.id': { $in: asked.map(({ command }) => command.id) } },
      ...[...byVersion].map(([version, same]) => ({
        stream: { $in: same.map(({ stream }) => stream) },
        version: { $in: [version - 1, version] },
      })),
      ...(holds.length > 0 ? [{ holds: { $in: holds } }] : []),
    ],
  };
  const found = (await reaching(() => commits.find(filter).toArray())).map(toCommit);
  for (const commit of found) versions.seen(commit);
  return asked.map((commit) => judge(commit, found, versions.hasBefore(commit)));
}

/** Checks in the order that `EventStore.append` guarantees. */
function judge(
  { command, stream, version, holds = [] }: NewCommit,
  found: readonly Commit[],
  mayFollow: boolean,
): Judgement {
  const earlier = found.find((each) => each.command.id === command.id);
  if (earlier?.command.hash === command.hash) return replayed(earlier);
  if (earlier) return new CommandIdReused(command.id);
  const isTaken = found.some((each) => each.stream === stream && each.version === version);
  const isClosed = found.some((each) => each.stream === voidStreamOf(stream));
  if (isTaken || isClosed || !mayFollow) return new WrongExpectedVersion(stream, version);
  const taken = holds.find((key) => found.some((each) => each.holds?.includes(key)));
  return taken === undefined ? undefined : new HoldTaken(taken);
}
