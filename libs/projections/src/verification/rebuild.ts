import type { Commit, CommitFeed, EventStore } from '@keyfold/event-store';
import pLimit from 'p-limit';
import { foldCommit, initialOf, UnfoldableStream, type Loaded } from '../loading/fold.js';
import { streamRef, type StreamRef } from '../loading/stream-ref.js';
import { keyOwnersIn } from '../projecting/key-owners.js';
import type { ParkedStream, ReadModelStore } from '../read-model-store.js';
import { readModelOf, sshKeyRings, type ReadModel } from '../read-model.js';
import { documentPages, walkFeed } from './pages.js';

/** Number of slots in progress: a page of one is read while another is folded or written. */
const PARALLEL_SLOTS = 4;

/** Number of streams of a slot kept in memory, and how many of them are completed together. */
const STREAMS_KEPT = 1_000;
const STREAMS_WRITTEN = 250;

export type RebuiltCount = { events: number; documents: number; parked: number; removed: number };

/** A stream that is being folded from its first commit. */
type Begun = { readonly ref: StreamRef<unknown>; loaded: Loaded<unknown> };

/**
 * Rebuilds the documents of the given models in place. It reads the feed and folds every stream from its first commit. If too many streams
 * are in memory, the oldest are completed by reading the rest of their commits, so no commit is read more than twice. Writers and
 * projectors may run at the same time: a later document is never replaced. Documents without a stream are removed, and streams that
 * cannot be folded are parked. It is safe to repeat and moves no checkpoints.
 */
export class Rebuild {
  readonly count: RebuiltCount = { events: 0, documents: 0, parked: 0, removed: 0 };

  constructor(
    private readonly store: EventStore,
    private readonly feed: CommitFeed,
    private readonly readModels: ReadModelStore,
    private readonly models: readonly ReadModel<unknown>[],
    private readonly now: () => number,
  ) {}

  /** Reports holes in the feed. Throws `StoreUnavailable`, and the reason of the signal, which is checked after every page. */
  async run(report: (problem: string) => Promise<void>, signal: AbortSignal): Promise<RebuiltCount> {
    const parked = new Map((await this.readModels.parked()).map((each) => [each.stream, each]));
    await pLimit(PARALLEL_SLOTS).map(await this.feed.readHeads(), async ([slot, head]) => {
      const begun = new Map<string, Begun>();
      for await (const page of walkFeed(this.feed, slot, head, false, report)) {
        signal.throwIfAborted();
        if (this.models.includes(sshKeyRings)) await this.readModels.addKeyOwners(keyOwnersIn(page));
        for (const commit of page) await this.#pass(commit, begun);
        while (begun.size > STREAMS_KEPT) await this.#complete(begun, parked);
      }
      while (begun.size > 0) await this.#complete(begun, parked);
    });
    for (const model of this.models) await this.#removeOrphans(model, signal);
    return this.count;
  }

  async #pass(commit: Commit, begun: Map<string, Begun>): Promise<void> {
    const { stream, partition, version } = commit;
    if (version === 1) {
      const ref = streamRef(stream, partition);
      if (ref && this.models.includes(readModelOf(ref))) begun.set(stream, { ref, loaded: initialOf(ref.aggregate) });
    }
    const kept = begun.get(stream);
    // The later commits of a completed stream were read when it was completed.
    if (kept && !(await this.#foldOrPark(kept, [commit]))) begun.delete(stream);
  }

  /** Completes and writes the streams that began first. */
  async #complete(begun: Map<string, Begun>, parked: ReadonlyMap<string, ParkedStream>): Promise<void> {
    const oldest = [...begun.values()].slice(0, STREAMS_WRITTEN);
    const points = oldest.map(({ ref, loaded }) => ({ stream: ref.stream, version: loaded.version }));
    const tails = Map.groupBy(await this.store.readStreams(points), ({ stream }) => stream);
    await Promise.all(
      oldest.map(async (each) => {
        const { ref } = each;
        begun.delete(ref.stream);
        if (!(await this.#foldOrPark(each, tails.get(ref.stream) ?? []))) return;
        await this.readModels.replace(ref, each.loaded);
        this.count.documents++;
        const before = parked.get(ref.stream);
        if (before) await this.readModels.unpark(before);
      }),
    );
  }

  async #foldOrPark(begun: Begun, commits: readonly Commit[]): Promise<boolean> {
    const { ref } = begun;
    try {
      for (const commit of commits) {
        begun.loaded = foldCommit(ref.aggregate, begun.loaded, commit);
        this.count.events += commit.events.length;
      }
      return true;
    } catch (error) {
      if (!(error instanceof UnfoldableStream)) throw error;
      const { stream, partition } = ref;
      await this.readModels.park({ stream, partition, version: error.version, error: error.message, at: this.now() });
      this.count.parked++;
      return false;
    }
  }

  /** Removes documents that are ahead of their streams or have none, for example after a restore of the event store alone. */
  async #removeOrphans(model: ReadModel<unknown>, signal: AbortSignal): Promise<void> {
    for await (const { unknown } of documentPages(this.store, this.readModels, model, signal)) {
      for (const { stream, version } of unknown) await this.#removeOrphan(model, stream, version);
    }
  }

  async #removeOrphan(model: ReadModel<unknown>, stream: string, version: number): Promise<void> {
    const commits = await this.store.readStreams([{ stream, version: 0 }]);
    const ref = { stream, partition: commits[0]?.partition ?? stream, aggregate: model.aggregate };
    await this.readModels.remove(ref, version);
    const begun: Begun = { ref, loaded: initialOf(ref.aggregate) };
    if (commits.length > 0 && (await this.#foldOrPark(begun, commits)))
      await this.readModels.replace(ref, begun.loaded);
    this.count.removed++;
  }
}
