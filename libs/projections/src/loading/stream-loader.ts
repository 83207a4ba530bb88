import type { Commit, EventStore, NewCommit } from '@keyfold/event-store';
import { LRUCache } from 'lru-cache';
import { foldCommit, initialOf, type Loaded } from './fold.js';
import { weightOf } from './state-weight.js';
import type { StreamRef } from './stream-ref.js';

type LoadedAll<Refs extends readonly StreamRef<unknown>[]> = {
  -readonly [K in keyof Refs]: Refs[K] extends StreamRef<infer State> ? Loaded<State> : never;
};

/** States as of some version, however old, from which loading can start. */
export type StoredStates = Readonly<{
  /** Returns the existing ones by stream name. One round trip. */
  get(refs: readonly StreamRef<unknown>[]): Promise<Map<string, Loaded<unknown>>>;
}>;

/** In the units of `weightOf`, each about a kilobyte. */
const CACHE_WEIGHT = 65_536;

/**
 * Loads the current state of streams. It starts from the cache or from the read model's document, then queries the commits after it. So a
 * cached state may be stale and never needs to be invalidated.
 */
export class StreamLoader {
  readonly #baselines = new LRUCache<string, { loaded: Loaded<unknown>; weight: number }>({
    maxSize: CACHE_WEIGHT,
    sizeCalculation: ({ weight }) => weight,
  });

  constructor(
    private readonly store: EventStore,
    private readonly stored: StoredStates,
  ) {}

  /** Returns the states of the streams, with every commit acknowledged before the call. Throws `UnfoldableStream`, `StoreUnavailable`. */
  async load<const Refs extends readonly StreamRef<unknown>[]>(...refs: Refs): Promise<LoadedAll<Refs>> {
    const baselines = this.#cachedBaselinesOf(refs) ?? (await this.#baselinesOf(refs));
    const commits = await this.store.readStreams(pointsOf(refs, baselines));
    if (commits.length === 0) return baselines as LoadedAll<Refs>;
    return refs.map((ref, index) => this.#foldTail(ref, baselines[index]!, commits)) as LoadedAll<Refs>;
  }

  /**
   * Returns the state of a stream up to the last of the `known` commits, without reading these again. If they do not follow the cached
   * state, the stream is loaded as usual. Throws `UnfoldableStream`, `StoreUnavailable`.
   */
  async loadWith<State>(ref: StreamRef<State>, known: readonly NewCommit[]): Promise<Loaded<State>> {
    const [baseline] = (await this.#baselinesOf([ref])) as [Loaded<State>];
    const tail = known.filter(({ version }) => version > baseline.version);
    const next = tail[0]?.version ?? baseline.version + 1;
    if (known.length > 0 && next === baseline.version + 1) return this.#foldTail(ref, baseline, tail) as Loaded<State>;
    return (await this.load(ref))[0];
  }

  commitsOf({ stream }: StreamRef<unknown>): Promise<Commit[]> {
    return this.store.readStreams([{ stream, version: 0 }]);
  }

  /** Returns whether the stream still has the commit of a version: not if it was compacted. */
  async hasCommit({ stream }: StreamRef<unknown>, version: number): Promise<boolean> {
    return (await this.store.readStreams([{ stream, version: version - 1 }])).length > 0;
  }

  /** Returns what `load` would, if no query is needed; undefined otherwise. Most requests then need not wait. */
  loadNow<const Refs extends readonly StreamRef<unknown>[]>(...refs: Refs): LoadedAll<Refs> | undefined {
    const baselines = this.#cachedBaselinesOf(refs);
    const known = baselines !== undefined && this.store.isCurrent(pointsOf(refs, baselines)) === true;
    return known ? (baselines as LoadedAll<Refs>) : undefined;
  }

  /**
   * Returns the cached state of a stream, unless it is probably stale. It may be stale nevertheless, so use it only for decisions that the
   * store checks by version.
   */
  remembered<State>({ stream }: StreamRef<State>): Loaded<State> | undefined {
    const loaded = this.#baselines.get(stream)?.loaded;
    if (!loaded || this.store.isCurrent([{ stream, version: loaded.version }]) === false) return undefined;
    return loaded as Loaded<State>;
  }

  /** Adds a newly appended commit to the cache, so that the next load need not fetch it. */
  advance(ref: StreamRef<unknown>, commit: NewCommit): void {
    const baseline = this.#baselines.peek(ref.stream)?.loaded ?? initialOf(ref.aggregate);
    if (baseline.version !== commit.version - 1) return;
    try {
      this.#remember(ref, foldCommit(ref.aggregate, baseline, commit));
    } catch {
      // The commit is stored anyway; the next load throws the error.
    }
  }

  #cachedBaselinesOf(refs: readonly StreamRef<unknown>[]): Loaded<unknown>[] | undefined {
    const cached = refs.map(({ stream }) => this.#baselines.get(stream)?.loaded);
    return cached.includes(undefined) ? undefined : (cached as Loaded<unknown>[]);
  }

  async #baselinesOf(refs: readonly StreamRef<unknown>[]): Promise<Loaded<unknown>[]> {
    const cached = refs.map(({ stream }) => this.#baselines.peek(stream)?.loaded);
    const documents = await this.stored.get(refs.filter((_, index) => !cached[index]));
    return refs.map(
      (ref, index) => cached[index] ?? this.#remember(ref, documents.get(ref.stream) ?? initialOf(ref.aggregate)),
    );
  }

  #foldTail(ref: StreamRef<unknown>, baseline: Loaded<unknown>, commits: readonly NewCommit[]): Loaded<unknown> {
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
      this.#baselines.set(stream, { loaded, weight: weightOf(aggregate, loaded.state) });
    }
    return loaded;
  }
}

const pointsOf = (refs: readonly StreamRef<unknown>[], baselines: readonly Loaded<unknown>[]) =>
  refs.map(({ stream }, index) => ({ stream, version: baselines[index]!.version }));
