import type { mongo } from 'mongoose';
import type { Commit, NewCommit } from '../commit.js';
import { voidStreamOf } from '../compacted-stream.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../event-store.errors.js';
import type { Appended } from '../event-store.js';
import { toCommit, type CommitDocument } from './commit.model.js';
import type { KnownVersions } from './known-versions.js';
import { reaching } from './mongo-connection.js';

/** What the store says about a commit that it has not taken; `undefined`: nothing stands against it but its place. */
export type Verdict = Appended | Error | undefined;

/**
 * Finds out why commits were not stored. An error of a unique index names one index only, and several may be violated at once, so
 * what the error says is not asked: everything that could stand against the commits is read, in one round trip.
 */
export async function judgeAppends(
  commits: mongo.Collection<CommitDocument>,
  asked: readonly NewCommit[],
  versions: KnownVersions,
): Promise<Verdict[]> {
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
  return asked.map((commit) => verdictOn(commit, found, versions.hasBefore(commit)));
}

/** In the order that the port promises. */
function verdictOn(
  { command, stream, version, holds = [] }: NewCommit,
  found: readonly Commit[],
  mayFollow: boolean,
): Verdict {
  const earlier = found.find((each) => each.command.id === command.id);
  if (earlier?.command.hash === command.hash) return { outcome: 'replayed', commit: earlier };
  if (earlier) return new CommandIdReused(command.id);
  const isTaken = found.some((each) => each.stream === stream && each.version === version);
  const isClosed = found.some((each) => each.stream === voidStreamOf(stream));
  if (isTaken || isClosed || !mayFollow) return new WrongExpectedVersion(stream, version);
  const taken = holds.find((key) => found.some((each) => each.holds?.includes(key)));
  return taken === undefined ? undefined : new HoldTaken(taken);
}
