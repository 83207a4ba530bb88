import type { Commit, EventStore } from '@keyfold/event-store';
import { LRUCache } from 'lru-cache';
import { foldCommit, initialOf, type Loaded } from './fold.js';
import type { ReadModelStore } from './read-model-store.js';
import type { StreamRef } from './stream-ref.js';

type LoadedAll<Refs extends readonly StreamRef<unknown>[]> = {
  -readonly [K in keyof Refs]: Refs[K] extends StreamRef<infer State> ? Loaded<State> : never;
};

/** In the units of `Aggregate.weightOf`, each about a kilobyte. */
const CACHE_WEIGHT = 49_152;

/**
 * The one way to read truth. A stream's baseline is the process's cache, else its read-model document; one query then brings the
 * commits after it, so that what is cached never needs to be believed and never needs to be invalidated.
 */
export class StreamLoader {
  readonly #baselines = new LRUCache<string, { loaded: Loaded<unknown>; weight: number }>({
    maxSize: CACHE_WEIGHT,
    sizeCalculation: ({ weight }) => weight,
  });

  constructor(
    private readonly store: EventStore,
    private readonly readModels: ReadModelStore,
  ) {}

  /** The state of each stream, including every commit acknowledged before the call. Throws `UnfoldableStream`, `StoreUnavailable`. */
  async load<const Refs extends readonly StreamRef<unknown>[]>(...refs: Refs): Promise<LoadedAll<Refs>> {
    const baselines = this.#cachedBaselinesOf(refs) ?? (await this.#baselinesOf(refs));
    const commits = await this.store.readStreams(pointsOf(refs, baselines));
    if (commits.length === 0) return baselines as LoadedAll<Refs>;
    return refs.map((ref, index) => this.#foldTail(ref, baselines[index]!, commits)) as LoadedAll<Refs>;
  }

  /**
   * The state of one stream up to the last of some commits of it that are at hand, in their order: they need not be read again. What
   * does not follow the baseline is loaded as ever. Throws `UnfoldableStream`, `StoreUnavailable`.
   */
  async loadWith<State>(ref: StreamRef<State>, atHand: readonly Commit[]): Promise<Loaded<State>> {
    const [baseline] = (await this.#baselinesOf([ref])) as [Loaded<State>];
    const tail = atHand.filter(({ version }) => version > baseline.version);
    const next = tail[0]?.version ?? baseline.version + 1;
    if (atHand.length > 0 && next === baseline.version + 1) return this.#foldTail(ref, baseline, tail) as Loaded<State>;
    return (await this.load(ref))[0];
  }

  /** What `load` would answer, where that is known without asking the store; spares the common request every wait. */
  loadNow<const Refs extends readonly StreamRef<unknown>[]>(...refs: Refs): LoadedAll<Refs> | undefined {
    const baselines = this.#cachedBaselinesOf(refs);
    const known = baselines !== undefined && this.store.isCurrent(pointsOf(refs, baselines));
    return known ? (baselines as LoadedAll<Refs>) : undefined;
  }

  /** What is remembered of a stream, which may be behind it: good for a decision that the store checks by its version. */
  remembered<State>({ stream }: StreamRef<State>): Loaded<State> | undefined {
    return this.#baselines.get(stream)?.loaded as Loaded<State> | undefined;
  }

  /** Adds a commit that was just appended to what is cached, so that the next load need not fetch it. */
  advance(ref: StreamRef<unknown>, commit: Commit): void {
    const baseline = this.#baselines.peek(ref.stream)?.loaded ?? initialOf(ref.aggregate);
    if (baseline.version !== commit.version - 1) return;
    try {
      this.#remember(ref, foldCommit(ref.aggregate, baseline, commit));
    } catch {
      // The commit is stored all the same; the next load says what is wrong with it.
    }
  }

  /** All baselines when all are cached, which spares the common case a wait. */
  #cachedBaselinesOf(refs: readonly StreamRef<unknown>[]): Loaded<unknown>[] | undefined {
    const cached = refs.map(({ stream }) => this.#baselines.get(stream)?.loaded);
    return cached.includes(undefined) ? undefined : (cached as Loaded<unknown>[]);
  }

  async #baselinesOf(refs: readonly StreamRef<unknown>[]): Promise<Loaded<unknown>[]> {
    const cached = refs.map(({ stream }) => this.#baselines.peek(stream)?.loaded);
    const documents = await this.readModels.get(refs.filter((_, index) => !cached[index]));
    return refs.map(
      (ref, index) => cached[index] ?? this.#remember(ref, documents.get(ref.stream) ?? initialOf(ref.aggregate)),
    );
  }

  #foldTail(ref: StreamRef<unknown>, baseline: Loaded<unknown>, commits: readonly Commit[]): Loaded<unknown> {
    const tail = commits.filter(({ stream }) => stream === ref.stream);
    if (tail.length === 0) return baseline;
    return this.#remember(
      ref,
      tail.reduce((loaded, commit) => foldCommit(ref.aggregate, loaded, commit), baseline),
    );
  }

  #remember({ stream, aggregate }: StreamRef<unknown>, loaded: Loaded<unknown>): Loaded<unknown> {
    const known = this.#baselines.peek(stream);
    if (!known || known.loaded.version < loaded.version) {
      this.#baselines.set(stream, { loaded, weight: aggregate.weightOf(loaded.state) });
    }
    return loaded;
  }
}

const pointsOf = (refs: readonly StreamRef<unknown>[], baselines: readonly Loaded<unknown>[]) =>
  refs.map(({ stream }, index) => ({ stream, version: baselines[index]!.version }));
