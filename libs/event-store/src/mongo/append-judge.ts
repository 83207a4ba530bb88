import type { mongo } from 'mongoose';
import type { Commit, NewCommit } from '../commit.js';
import { voidStreamOf } from '../compacted-stream.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../event-store.errors.js';
import type { Appended } from '../event-store.js';
import { toCommit, type CommitDocument } from './commit.model.js';
import type { KnownVersions } from './known-versions.js';
import { reaching } from './mongo-connection.js';

/** Why a commit was not stored: it was stored before, or a refusal; undefined if only its position was taken. */
export type Judgement = Appended | Error | undefined;

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
  if (earlier?.command.hash === command.hash) return { outcome: 'replayed', commit: earlier };
  if (earlier) return new CommandIdReused(command.id);
  const isTaken = found.some((each) => each.stream === stream && each.version === version);
  const isClosed = found.some((each) => each.stream === voidStreamOf(stream));
  if (isTaken || isClosed || !mayFollow) return new WrongExpectedVersion(stream, version);
  const taken = holds.find((key) => found.some((each) => each.holds?.includes(key)));
  return taken === undefined ? undefined : new HoldTaken(taken);
}
