import type { Connection, mongo } from 'mongoose';
import { reasonOf } from '@keyfold/reporting';
import type { Commit } from '../commit.js';
import { CommitIntake, IntakeRefused } from '../commit-intake.js';
import { compactedStreamOf, isCompacted } from '../compaction.js';
import { isDuplicate } from './append/append-batch.js';
import { COMMITS, feedKeyOf, type CommitDocument } from './commit.model.js';
import { compactStreams } from './compact-streams.js';
import { collectionOf, reaching } from './mongo-connection.js';

/** Takes over commits into the shared store. Calls for different slots may run at once. */
export class MongoIntake extends CommitIntake {
  readonly #commits: mongo.Collection<CommitDocument>;

  constructor(private readonly connection: Connection) {
    super();
    this.#commits = collectionOf<CommitDocument>(connection, COMMITS);
  }

  async takeOver(slot: number, commits: readonly Commit[]): Promise<void> {
    const [first] = commits;
    if (!first) return;
    await this.#requireNext(slot, first.position);
    await this.#reopen(firstVoidOfEach(commits));
    const last = lastVoidOfEach(commits);
    const documents = commits.map((commit) => toDocument(slot, commit, last));
    try {
      await reaching(() => this.#commits.insertMany(documents, { ordered: true }));
    } catch (error) {
      if (isDuplicate(error)) throw new IntakeRefused(slot, reasonOf(error));
      throw error;
    }
  }

  async #requireNext(slot: number, position: number): Promise<void> {
    const before = position > 1 ? [feedKeyOf(slot, position - 1)] : [];
    const range = { $gte: before[0] ?? feedKeyOf(slot, 0), $lt: feedKeyOf(slot + 1, 0) };
    const options = { sort: { _id: 1 } as const, limit: 2, projection: { _id: 1 } };
    const found = await reaching(() => this.#commits.find({ _id: range }, options).toArray());
    const isNext = position > 0 && found.length === before.length && found.every(({ _id }) => before.includes(_id));
    if (isNext) return;
    throw new IntakeRefused(slot, `position ${position} is not the next one`);
  }

  /**
   * Prepares streams for their next void commits: commits that were taken over with events become void, and the last one gives up the version
   * after it (`CommitDocument`).
   */
  async #reopen(next: ReadonlyMap<string, number>): Promise<void> {
    const continued = [...next].filter(([, version]) => version > 1);
    if (continued.length === 0) return;
    await compactStreams(
      this.connection.getClient(),
      this.#commits,
      continued.map(([stream]) => stream),
      'keep',
    );
    const updates = continued.map(([stream, version]) => ({
      updateOne: {
        filter: { stream, version },
        update: [{ $set: { version: { $first: '$version' } } }],
      },
    }));
    await reaching(() => this.#commits.bulkWrite(updates, { ordered: false }));
  }
}

const compactedOf = (commit: Commit) => (isCompacted(commit) ? compactedStreamOf(commit.stream) : undefined);

function firstVoidOfEach(commits: readonly Commit[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const commit of commits) {
    const stream = compactedOf(commit);
    if (stream !== undefined && !first.has(stream)) first.set(stream, commit.version);
  }
  return first;
}

/** Returns the positions of the last void commits of all compacted streams. */
function lastVoidOfEach(commits: readonly Commit[]): Set<number> {
  const last = new Map<string, number>();
  for (const commit of commits) {
    const stream = compactedOf(commit);
    if (stream !== undefined) last.set(stream, commit.position);
  }
  return new Set(last.values());
}

function toDocument(slot: number, commit: Commit, last: ReadonlySet<number>): CommitDocument {
  const { position, version, ...rest } = commit;
  return {
    ...rest,
    _id: feedKeyOf(slot, position),
    stream: compactedOf(commit) ?? commit.stream,
    version: last.has(position) ? [version, version + 1] : version,
  };
}
