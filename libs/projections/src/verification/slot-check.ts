import { isCompacted, voidStreamOf, type Commit, type CommitFeed, type EventStore } from '@keyfold/event-store';
import { isDeepStrictEqual } from 'node:util';
import { foldCommit, initialOf, UnfoldableStream, type Loaded } from '../loading/fold.js';
import { streamRef, type StreamRef } from '../loading/stream-ref.js';
import { keyOwnersIn } from '../projecting/key-owners.js';
import { mayLag } from '../projecting/snapshots.js';
import type { ReadModelStore } from '../read-model-store.js';
import { readModelOf } from '../read-model.js';
import { walkFeed } from './pages.js';

/** The stores to verify. `isSettled`: no process appends or projects in the meantime. */
export type Verified = Readonly<{
  store: EventStore;
  feed: CommitFeed;
  readModels: ReadModelStore;
  isSettled: boolean;
}>;
export type Report = (problem: string) => Promise<void>;

/** A slot of the feed: its head, and the checkpoint of the projector before anything was read. */
export type SlotBounds = Readonly<{ slot: number; head: number; projected: number }>;
type SlotCount = { commits: number; streams: number; behind: number };

/**
 * Checks the commits of a slot and the documents of its streams. It holds one page and its streams in memory: a stream is read as a whole
 * at its first commit. Streams without a first commit are found by counting.
 */
export class SlotCheck {
  readonly count: SlotCount = { commits: 0, streams: 0, behind: 0 };
  /**
   * Numbers of commits up to `projected`: those seen in the feed, and those of the streams whose first commit was seen. Void commits of
   * compacted streams count too, so that a concurrent compaction makes no difference.
   */
  #passed = 0;
  #ofWholeStreams = 0;

  constructor(
    private readonly verified: Verified,
    private readonly bounds: SlotBounds,
    private readonly parked: ReadonlySet<string>,
    private readonly report: Report,
    private readonly progress: () => Promise<void>,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { slot, head, projected } = this.bounds;
    const { feed, isSettled } = this.verified;
    for await (const page of walkFeed(feed, slot, head, isSettled, this.report)) {
      signal.throwIfAborted();
      await this.#checkPage(page);
      await this.progress();
    }
    // Commits appended since the stream was read are after `projected`.
    const orphans = this.#passed - this.#ofWholeStreams;
    if (orphans > 0)
      await this.report(`slot ${slot} has ${orphans} commits up to position ${projected} whose stream has no commit 1`);
  }

  async #checkPage(page: readonly Commit[]): Promise<void> {
    this.count.commits += page.length;
    const begun: StreamRef<unknown>[] = [];
    const compacted: string[] = [];
    for (const commit of page) {
      const ref = streamRef(commit.stream, commit.partition);
      if (!ref && !isCompacted(commit)) continue;
      if (commit.position <= this.bounds.projected) this.#passed++;
      if (commit.version !== 1) continue;
      if (ref) begun.push(ref);
      else compacted.push(commit.stream);
    }
    await this.#passCompacted(compacted);
    await this.#checkKeyOwners(page.filter(({ position }) => position <= this.bounds.projected));
    if (begun.length > 0) await this.#checkStreams(begun);
  }

  /** The projector adds the keys of a commit to the index before it passes the commit. */
  async #checkKeyOwners(projected: readonly Commit[]): Promise<void> {
    const owners = keyOwnersIn(projected);
    if (owners.length === 0) return;
    for (const { accountId } of await this.verified.readModels.missingKeyOwners(owners))
      await this.report(`the index of SSH keys lacks a key of account ${accountId}`);
  }

  /** Counts the void commits of compacted streams, given the names of their void streams. */
  async #passCompacted(streams: readonly string[]): Promise<void> {
    if (streams.length === 0) return;
    this.#passWhole(await this.verified.store.readStreams(streams.map((stream) => ({ stream, version: 0 }))));
  }

  #passWhole(commits: readonly Commit[]): void {
    this.#ofWholeStreams += commits.filter(({ position }) => position <= this.bounds.projected).length;
  }

  /** Reads the documents first, so that the streams contain everything that is in them. */
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
      // Parked streams are reported separately.
      if (problem !== undefined && !this.parked.has(ref.stream)) await this.report(problem);
      if (behind) this.count.behind++;
    }
    await this.#passCompacted(compacted);
  }

  /** A concurrent compaction may have hidden some of the commits. */
  async #isCompacted({ stream }: StreamRef<unknown>): Promise<boolean> {
    const left = await this.verified.store.readStreams([{ stream: voidStreamOf(stream), version: 0 }]);
    return left.length > 0;
  }
}

/** The result of comparing a document with its stream. `behind` is no problem: the projector has not come that far. */
type Comparison = Readonly<{ problem?: string; behind: boolean }>;

/**
 * Folds a stream from its first commit and compares its document with the state at the document's version. So appends between reading the
 * document and reading the commits do not matter. `projected` is the checkpoint of the projector when the document was read; later
 * commits may be missing in the document.
 */
function compareStream(
  ref: StreamRef<unknown>,
  commits: readonly Commit[],
  document: Loaded<unknown> | undefined,
  projected: number,
): Comparison {
  const { stream, aggregate } = ref;
  const model = readModelOf(ref);
  const version = document?.version ?? 0;
  const due = commits.findLast(({ position }) => position <= projected)?.version ?? 0;
  let loaded = initialOf(aggregate);
  let stateOfDocument: unknown;
  let isRecent = version >= due;
  try {
    for (const commit of commits) {
      loaded = foldCommit(aggregate, loaded, commit);
      if (loaded.version === version) stateOfDocument = loaded.state;
      // The projector may have decided on any state since the checkpoint.
      if (document && loaded.version >= due) isRecent ||= mayLag(model, version, loaded);
    }
  } catch (error) {
    if (!(error instanceof UnfoldableStream)) throw error;
    return { problem: error.message, behind: false };
  }
  if (version > loaded.version) {
    return {
      problem: `the document of ${stream} is at version ${version}, its stream at ${loaded.version}`,
      behind: false,
    };
  }
  if (document && !sameAsJson(document.state, stateOfDocument)) {
    return { problem: `the document of ${stream} differs from its stream at version ${version}`, behind: false };
  }
  if (isRecent) return { behind: loaded.version > Math.max(version, due) };
  const problem = document
    ? `the document of ${stream} is at version ${version}, but the projector has passed version ${due}`
    : `stream ${stream} has no document in ${model.name}, but the projector has passed it`;
  return { problem, behind: false };
}

/** Documents are stored as JSON, which drops undefined fields. */
const sameAsJson = (a: unknown, b: unknown) => isDeepStrictEqual(asJson(a), asJson(b));
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
