import { Batcher, type Call } from '@keyfold/concurrency';
import { LRUCache } from 'lru-cache';
import type { mongo } from 'mongoose';
import type { Commit } from '../commit.js';
import { compactedStreamOf } from '../compaction.js';
import { isOutage } from '../event-store.errors.js';
import type { StreamPoint } from '../event-store.js';
import { toCommit, type CommitDocument } from './commit.model.js';
import type { PrimaryBarrier } from './mongo-connection.js';

/** Maximum number of callers that share a query. */
const CALLERS = 256;

/** Reads the commits after points of streams; concurrent callers share a query. */
export class StreamTails {
  readonly #batcher = new Batcher<readonly StreamPoint[], Commit[]>((calls) => this.#read(calls), CALLERS, isOutage);

  constructor(
    private readonly commits: mongo.Collection<CommitDocument>,
    private readonly versions: KnownVersions,
    private readonly barrier: PrimaryBarrier,
  ) {}

  after(points: readonly StreamPoint[]): Promise<Commit[]> {
    return this.#batcher.submit(points);
  }

  async #read(calls: readonly Call<readonly StreamPoint[], Commit[]>[]): Promise<void> {
    const filter = tailsFilter(calls.flatMap(({ item }) => item).map((point) => this.#toAskFor(point)));
    const documents = await this.barrier.read(() => this.commits.find(filter, { hint: 'stream_version' }).toArray());
    const commits = documents.map(toCommit);
    for (const commit of commits) this.versions.seen(commit);
    const tails = tailsByStream(commits);
    for (const { item, resolve } of calls) {
      resolve(
        item.flatMap(({ stream, version }) => (tails.get(stream) ?? []).filter((each) => each.version > version)),
      );
    }
  }

  /** Includes the commit at an unconfirmed version, because a read model may be ahead of the store, for example after a restore. */
  #toAskFor(point: StreamPoint): StreamPoint {
    return this.versions.has(point) ? point : { ...point, version: point.version - 1 };
  }
}

/** Puts all streams at one version into one clause: the server plans few long clauses far faster than many short ones. */
function tailsFilter(points: readonly StreamPoint[]): mongo.Filter<CommitDocument> {
  const lowest = new Map<string, number>();
  for (const { stream, version } of points) {
    for (const name of storedNamesOf(stream)) lowest.set(name, Math.min(version, lowest.get(name) ?? version));
  }
  const clauses = [...Map.groupBy(lowest, ([, version]) => version)].map(([version, streams]) => ({
    stream: { $in: streams.map(([stream]) => stream) },
    version: { $gt: version },
  }));
  return clauses.length === 1 ? clauses[0]! : { $or: clauses };
}

/** Void commits are stored under the name of the compacted stream. */
const storedNamesOf = (stream: string) => [stream, compactedStreamOf(stream) ?? stream];

/** Groups commits by stream, in version order. */
function tailsByStream(commits: readonly Commit[]): Map<string, Commit[]> {
  const tails = Map.groupBy(commits, ({ stream }) => stream);
  for (const tail of tails.values()) tail.sort((a, b) => a.version - b.version);
  return tails;
}

const REMEMBERED_STREAMS = 50_000;

/** Caches versions that streams have certainly reached, so that an append need not query for the preceding commit. */
export class KnownVersions {
  readonly #versions = new LRUCache<string, number>({ max: REMEMBERED_STREAMS });

  seen(point: StreamPoint): void {
    if (!this.has(point)) this.#versions.set(point.stream, point.version);
  }

  has({ stream, version }: StreamPoint): boolean {
    return (this.#versions.get(stream) ?? 0) >= version;
  }

  /** Whether the stream certainly has the commit that precedes this version. */
  hasBefore({ stream, version }: StreamPoint): boolean {
    return version >= 1 && this.has({ stream, version: version - 1 });
  }
}
