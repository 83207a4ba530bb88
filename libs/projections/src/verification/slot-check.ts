import { isCompacted, voidStreamOf, type Commit, type CommitFeed, type EventStore } from '@keyfold/event-store';
import type { ReadModelStore } from '../read-model-store.js';
import { streamRef, type StreamRef } from '../stream-ref.js';
import { compareStream } from './compare-stream.js';
import { walkFeed } from './feed-walk.js';
import type { SeenKeys } from './seen-keys.js';

/** What is checked against what. `isSettled`: nobody appends and nobody projects while this runs. */
export type Verified = Readonly<{
  store: EventStore;
  feed: CommitFeed;
  readModels: ReadModelStore;
  isSettled: boolean;
}>;
export type Report = (problem: string) => Promise<void>;

/** A slot of the feed: up to where it goes, and up to where the projector had come before anything was read. */
export type SlotBounds = Readonly<{ slot: number; head: number; projected: number }>;
export type SlotCount = { commits: number; streams: number; behind: number };

/**
 * Checks the commits of a slot and the documents of its streams. Memory is bounded by a page and its streams: a stream is read and
 * folded as a whole when its first commit passes. That no stream lacks its first commit is found by counting.
 */
export class SlotCheck {
  readonly count: SlotCount = { commits: 0, streams: 0, behind: 0 };
  /**
   * Commits of streams up to `projected`: those that passed, and those of the streams whose first commit passed. What is left of
   * compacted ones counts as well, so that it makes no difference when a stream is compacted meanwhile.
   */
  #passed = 0;
  #ofWholeStreams = 0;

  constructor(
    private readonly verified: Verified,
    private readonly bounds: SlotBounds,
    private readonly seen: SeenKeys,
    private readonly parked: ReadonlySet<string>,
    private readonly report: Report,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { slot, head, projected } = this.bounds;
    const { feed, isSettled } = this.verified;
    for await (const page of walkFeed(feed, slot, head, isSettled, this.report)) {
      signal.throwIfAborted();
      await this.#checkPage(page);
    }
    // Appends that were under way when their stream was read lie behind what the projector had passed.
    const orphans = this.#passed - this.#ofWholeStreams;
    if (orphans > 0)
      await this.report(`slot ${slot} has ${orphans} commits up to position ${projected} whose stream has no commit 1`);
  }

  async #checkPage(page: readonly Commit[]): Promise<void> {
    this.count.commits += page.length;
    const begun: StreamRef<unknown>[] = [];
    const compacted: string[] = [];
    for (const commit of page) {
      await this.#checkKeys(commit);
      const ref = streamRef(commit.stream, commit.partition);
      if (!ref && !isCompacted(commit)) continue;
      if (commit.position <= this.bounds.projected) this.#passed++;
      if (commit.version !== 1) continue;
      if (ref) begun.push(ref);
      else compacted.push(commit.stream);
    }
    await this.#passCompacted(compacted);
    if (begun.length > 0) await this.#checkStreams(begun);
  }

  /** What is left of compacted streams whose first commits passed; these are the names of their void streams. */
  async #passCompacted(streams: readonly string[]): Promise<void> {
    if (streams.length === 0) return;
    this.#passWhole(await this.verified.store.readStreams(streams.map((stream) => ({ stream, version: 0 }))));
  }

  #passWhole(commits: readonly Commit[]): void {
    this.#ofWholeStreams += commits.filter(({ position }) => position <= this.bounds.projected).length;
  }

  async #checkKeys({ stream, version, command, holds = [] }: Commit): Promise<void> {
    if (this.seen.add(`command ${command.id}`))
      await this.report(`commit ${version} of ${stream} has a command id that another commit has: ${command.id}`);
    for (const key of holds) {
      if (this.seen.add(`hold ${key}`))
        await this.report(`commit ${version} of ${stream} holds what another commit holds: ${key}`);
    }
  }

  /** The documents are read first: whatever is in them was in the streams by then. */
  async #checkStreams(refs: readonly StreamRef<unknown>[]): Promise<void> {
    const documents = await this.verified.readModels.get(refs);
    const commits = await this.verified.store.readStreams(refs.map(({ stream }) => ({ stream, version: 0 })));
    const streams = Map.groupBy(commits, ({ stream }) => stream);
    const compacted: string[] = [];
    for (const ref of refs) {
      const found = streams.get(ref.stream) ?? [];
      const { problem, behind } = compareStream(ref, found, documents.get(ref.stream), this.bounds.projected);
      if (found.length === 0 || (problem !== undefined && (await this.#isCompacted(ref)))) {
        compacted.push(voidStreamOf(ref.stream));
        continue;
      }
      this.count.streams++;
      this.#passWhole(found);
      // What is parked is reported as such.
      if (problem !== undefined && !this.parked.has(ref.stream)) await this.report(problem);
      if (behind) this.count.behind++;
    }
    await this.#passCompacted(compacted);
  }

  /** Meanwhile, so that the commits may have been read in part. */
  async #isCompacted({ stream }: StreamRef<unknown>): Promise<boolean> {
    const left = await this.verified.store.readStreams([{ stream: voidStreamOf(stream), version: 0 }]);
    return left.length > 0;
  }
}
