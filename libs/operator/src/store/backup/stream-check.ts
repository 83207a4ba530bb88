import { LRUCache } from 'lru-cache';
import { isCompacted, voidStreamOf, type Commit, type EventStore } from '@keyfold/event-store';
import { foldCommits, streamRef, UnfoldableStream, type StreamRef } from '@keyfold/projections';

/** The commits of a slot that a part contains: after a position, up to the cut. */
export type Range = Readonly<{ slot: number; after: number; upTo: number }>;

/** A stream that was checked before so many others is read once more when it goes on, and not counted again. */
const REMEMBERED_STREAMS = 50_000;

/**
 * Folds each stream of a range once, when its first commit there passes, and counts the commits of these streams, so that none is missing. Holds
 * the streams of one page in memory.
 */
export class StreamCheck {
  streams = 0;
  #passed = 0;
  #ofStreams = 0;
  readonly #checked = new LRUCache<string, true>({ max: REMEMBERED_STREAMS });

  constructor(
    private readonly store: EventStore,
    private readonly range: Range,
    private readonly report: (problem: string) => Promise<void>,
  ) {}

  /** Checks the streams that begin, or go on, on a page of the range. */
  async pass(page: readonly Commit[]): Promise<void> {
    const found = new Map<string, StreamRef<unknown> | undefined>();
    for (const { stream, partition, version, command } of page) {
      const ref = streamRef(stream, partition);
      if (!ref && !isCompacted({ command })) continue;
      this.#passed++;
      // Before the first part, a stream can only begin with its first commit.
      if (version > 1 && this.range.after === 0) continue;
      if (!found.has(stream) && !this.#checked.has(stream)) found.set(stream, ref);
    }
    if (found.size === 0) return;
    const streams = await this.#read([...found.keys()]);
    for (const [stream, ref] of found) await this.#check(stream, ref, streams.get(stream) ?? [], page);
  }

  /** Reports commits whose streams are incomplete. */
  async finish(): Promise<void> {
    const orphans = this.#passed - this.#ofStreams;
    if (orphans !== 0)
      await this.report(`slot ${this.range.slot} has ${Math.abs(orphans)} commits whose stream is incomplete`);
  }

  async #read(names: readonly string[]): Promise<Map<string, Commit[]>> {
    const commits = await this.store.readStreams(names.map((stream) => ({ stream, version: 0 })));
    return Map.groupBy(commits, ({ stream }) => stream);
  }

  async #check(
    stream: string,
    ref: StreamRef<unknown> | undefined,
    commits: readonly Commit[],
    page: readonly Commit[],
  ): Promise<void> {
    this.#checked.set(stream, true);
    const [problem, whole] = await this.#fold(stream, ref, commits);
    const inRange = whole.filter(({ position }) => position > this.range.after && position <= this.range.upTo);
    const [first] = inRange;
    // Checked with an earlier page.
    if (first && first.position < page[0]!.position) return;
    this.streams++;
    this.#ofStreams += inRange.length;
    if (problem !== undefined) await this.report(problem);
  }

  /** Folds a stream. Returns the problem, and the commits that are left of a stream that was compacted meanwhile. */
  async #fold(
    stream: string,
    ref: StreamRef<unknown> | undefined,
    commits: readonly Commit[],
  ): Promise<readonly [string | undefined, readonly Commit[]]> {
    if (!ref) return [undefined, commits];
    let problem = commits.length === 0 ? `stream ${stream} has no commit 1` : undefined;
    try {
      const upToCut = commits.filter(({ position }) => position <= this.range.upTo);
      foldCommits(ref.aggregate, upToCut);
    } catch (error) {
      if (!(error instanceof UnfoldableStream)) throw error;
      problem = error.message;
    }
    if (problem === undefined) return [undefined, commits];
    const left = await this.store.readStreams([{ stream: voidStreamOf(stream), version: 0 }]);
    return left.length > 0 ? [undefined, left] : [problem, commits];
  }
}
