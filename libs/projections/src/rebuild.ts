import type { Commit, CommitFeed, EventStore } from '@keyfold/event-store';
import pLimit from 'p-limit';
import { foldCommit, initialOf, UnfoldableStream, type Loaded } from './fold.js';
import type { ParkedStream, ReadModelStore } from './read-model-store.js';
import { readModelOf, type ReadModel } from './read-model.js';
import { streamRef, type StreamRef } from './stream-ref.js';
import { documentPages } from './verification/document-pages.js';
import { walkFeed } from './verification/feed-walk.js';

/** Slots that are worked on at once: a page of one is read while another is folded or written. */
const SLOTS_AT_ONCE = 4;

/** Streams of a slot that are kept while their commits pass, and how many are completed and written together. */
const STREAMS_KEPT = 1_000;
const STREAMS_WRITTEN = 250;

export type RebuiltCount = { events: number; documents: number; parked: number; removed: number };

/** A stream whose first commit has passed, folded from nothing. */
type Begun = { readonly ref: StreamRef<unknown>; loaded: Loaded<unknown> };

/**
 * Makes the documents of the given models anew, in place: a stream is folded while its commits pass in the feed, from its first one on.
 * When too many are kept, the oldest are completed by reading what is left of them; so memory is bounded, and no commit is read more
 * than twice. A document is replaced unless a later one was written meanwhile, so writers and projectors may go on. Documents that no
 * stream leads to are removed; a stream that cannot be folded is parked. Repeating it does no harm, and no checkpoint is touched.
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

  /** Tells of empty positions in the feed. Throws `StoreUnavailable`, and the reason of the signal, which is heeded after every page. */
  async run(report: (problem: string) => Promise<void>, signal: AbortSignal): Promise<RebuiltCount> {
    const parked = new Map((await this.readModels.parked()).map((each) => [each.stream, each]));
    await pLimit(SLOTS_AT_ONCE).map(await this.feed.readHeads(), async ([slot, head]) => {
      const begun = new Map<string, Begun>();
      for await (const page of walkFeed(this.feed, slot, head, false, report)) {
        signal.throwIfAborted();
        for (const commit of page) await this.#pass(commit, begun);
        while (begun.size > STREAMS_KEPT) await this.#complete(begun, parked);
      }
      while (begun.size > 0) await this.#complete(begun, parked);
    });
    for (const model of this.models) await this.#removeStrangers(model, signal);
    return this.count;
  }

  async #pass(commit: Commit, begun: Map<string, Begun>): Promise<void> {
    const { stream, partition, version } = commit;
    if (version === 1) {
      const ref = streamRef(stream, partition);
      if (ref && this.models.includes(readModelOf(ref))) begun.set(stream, { ref, loaded: initialOf(ref.aggregate) });
    }
    const kept = begun.get(stream);
    // What follows on a stream that was completed was read then.
    if (kept && !(await this.#foldOrPark(kept, [commit]))) begun.delete(stream);
  }

  /** The streams that began first are brought to their end and written. */
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

  /** A document whose version no commit has: its stream is shorter, or there is none, as after a restore of the event store alone. */
  async #removeStrangers(model: ReadModel<unknown>, signal: AbortSignal): Promise<void> {
    for await (const { unknown } of documentPages(this.store, this.readModels, model, signal)) {
      for (const { stream, version } of unknown) await this.#removeStranger(model, stream, version);
    }
  }

  async #removeStranger(model: ReadModel<unknown>, stream: string, version: number): Promise<void> {
    const commits = await this.store.readStreams([{ stream, version: 0 }]);
    const ref = { stream, partition: commits[0]?.partition ?? stream, aggregate: model.aggregate };
    await this.readModels.remove(ref, version);
    const begun: Begun = { ref, loaded: initialOf(ref.aggregate) };
    if (commits.length > 0 && (await this.#foldOrPark(begun, commits)))
      await this.readModels.replace(ref, begun.loaded);
    this.count.removed++;
  }
}
