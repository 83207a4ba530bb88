import type { Commit, EventStore } from '@keyfold/event-store';
import { LRUCache } from 'lru-cache';
import { foldCommit, type Loaded } from './fold.js';
import type { ReadModelStore } from './read-model-store.js';
import type { StreamRef } from './read-model.js';

type LoadedAll<Refs extends readonly StreamRef<unknown>[]> = {
  -readonly [K in keyof Refs]: Refs[K] extends StreamRef<infer State> ? Loaded<State> : never;
};

/** Units of `ReadModel.weightOf`, each about a kilobyte. */
const CACHE_WEIGHT = 32_768;

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
    const baselines = await this.#baselinesOf(refs);
    const commits = await this.store.readStreams(
      refs.map(({ stream }, index) => ({ stream, version: baselines[index]!.version })),
    );
    if (commits.length === 0) return baselines as LoadedAll<Refs>;
    return refs.map((ref, index) => this.#foldTail(ref, baselines[index]!, commits)) as LoadedAll<Refs>;
  }

  async #baselinesOf(refs: readonly StreamRef<unknown>[]): Promise<Loaded<unknown>[]> {
    const cached = refs.map(({ stream }) => this.#baselines.get(stream)?.loaded);
    if (!cached.includes(undefined)) return cached as Loaded<unknown>[];
    const documents = await this.readModels.get(refs.filter((_, index) => !cached[index]));
    return refs.map((ref, index) => cached[index] ?? this.#remember(ref, documents.get(ref.stream) ?? initial(ref)));
  }

  #foldTail(ref: StreamRef<unknown>, baseline: Loaded<unknown>, commits: readonly Commit[]): Loaded<unknown> {
    const tail = commits.filter(({ stream }) => stream === ref.stream);
    if (tail.length === 0) return baseline;
    return this.#remember(
      ref,
      tail.reduce((loaded, commit) => foldCommit(ref.model, loaded, commit), baseline),
    );
  }

  #remember({ stream, model }: StreamRef<unknown>, loaded: Loaded<unknown>): Loaded<unknown> {
    const known = this.#baselines.peek(stream);
    if (!known || known.loaded.version < loaded.version) {
      this.#baselines.set(stream, { loaded, weight: model.weightOf(loaded.state) });
    }
    return loaded;
  }
}

const initial = ({ model }: StreamRef<unknown>): Loaded<unknown> => ({ state: model.initialState, version: 0 });
