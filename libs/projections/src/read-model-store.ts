import type { Loaded } from './fold.js';
import type { ReadModel } from './read-model.js';
import type { StreamRef } from './stream-ref.js';

export type Page<State> = Readonly<{ items: readonly State[]; total: number }>;

/** A stream that could not be folded, when and why; `version` is the commit that failed, 0 when all could be folded. `at` in unix milliseconds. */
export type ParkedStream = Readonly<{ stream: string; partition: string; version: number; error: string; at: number }>;

/** A document as it lies in the store, with the sort key that was written with it; null if it is not listed. */
export type StoredDocument = Loaded<unknown> & Readonly<{ stream: string; sortKey: number | null }>;

/** Where the documents of the read models live. Everything in it can be made again from the event store. */
export abstract class ReadModelStore {
  /** The documents of the given streams that exist, by stream name. One round trip. */
  abstract get(refs: readonly StreamRef<unknown>[]): Promise<Map<string, Loaded<unknown>>>;

  /** Writes a document unless one of the same or a later version is there. */
  abstract put<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void>;

  /** Writes a document unless one of a later version is there: a rebuild mends one that was folded wrongly. */
  abstract replace<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void>;

  /**
   * The states of a model's list by their sort keys; `offset` may be past the end. The page ends early at the first state that `takes`
   * refuses. The states after it are not kept in memory.
   */
  abstract list<State>(
    model: ReadModel<State>,
    offset: number,
    limit: number,
    takes?: (state: State) => boolean,
  ): Promise<Page<State>>;

  /** Documents of a model whose stream's name comes after `after` in byte order, in that order: how all are gone through. */
  abstract documents(model: ReadModel<unknown>, after: string, limit: number): Promise<StoredDocument[]>;

  /** Removes the document of a stream, provided that it still is of this version. */
  abstract remove(ref: StreamRef<unknown>, version: number): Promise<void>;

  /** The latest failure of a stream is the one that is kept. */
  abstract park(parked: ParkedStream): Promise<void>;
  /** Releases a stream, unless it failed again after this. */
  abstract unpark(parked: ParkedStream): Promise<void>;
  abstract parked(): Promise<ParkedStream[]>;

  abstract close(): Promise<void>;
}
