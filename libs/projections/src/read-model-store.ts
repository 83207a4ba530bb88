import type { Loaded } from './loading/fold.js';
import type { StreamRef } from './loading/stream-ref.js';
import type { KeyOwner } from './projecting/key-owners.js';
import type { ReadModel } from './read-model.js';

/** Maximum size of a page of a list or of the history, in bytes of the answer. */
export const PAGE_BYTES = 2 * 1024 * 1024;

export type Page<State> = Readonly<{ items: readonly State[]; total: number }>;

/** A stream that cannot be projected. `version` is the commit that cannot be folded, 0 if all can. `at` is in unix milliseconds. */
export type ParkedStream = Readonly<{ stream: string; partition: string; version: number; error: string; at: number }>;

/** A stored document, with the sort key and the folded search text that were written with it; null if it has none. */
export type StoredDocument = Loaded<unknown> &
  Readonly<{ stream: string; sortKey: number | null; text: string | null }>;

/** The entries of a list that expire after a time, in unix seconds. With `partition`, only those of its streams. */
export type Unexpired = Readonly<{ after: number; partition?: string }>;

/**
 * Which entries of a list are read, and in which order. `search` is a part of the text that the model is searched by, in any letter case.
 * A search reads an index of the whole list.
 */
export type ListSelection = Readonly<{ search?: string; descending?: boolean }>;

/** A search was cancelled because it took too long. */
export class SearchTimeout extends Error {
  readonly retryAfterSeconds = 5;

  constructor(milliseconds: number) {
    super(`the search took more than ${milliseconds} ms`);
    this.name = 'SearchTimeout';
  }
}

/** A stream of a model with `due`, and its sort key. */
export type DueStream = Readonly<{ stream: string; partition: string; at: number }>;

/** Stores the documents of the read models. All of it can be rebuilt from the event store. */
export abstract class ReadModelStore {
  /** Returns the existing documents of the given streams, by stream name. One round trip. */
  abstract get(refs: readonly StreamRef<unknown>[]): Promise<Map<string, Loaded<unknown>>>;

  /** Writes a document unless the same or a later version is stored. */
  abstract put<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void>;

  /** Writes a document unless a later version is stored, so that a rebuild can repair it. */
  abstract replace<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void>;

  /**
   * Returns the states of a model's list by their sort keys; `offset` may be past the end. The page ends early at the first state that
   * `takes` refuses. The states after it are not kept in memory. `total` counts the selected entries.
   *
   * @throws `SearchTimeout`, `StoreUnavailable`.
   */
  abstract list<State>(
    model: ReadModel<State>,
    offset: number,
    limit: number,
    takes?: (state: State) => boolean,
    selection?: ListSelection,
  ): Promise<Page<State>>;

  /** Returns the states of a model whose list `expires`, the one that expires last first. `offset` and `limit` are those of `list`. */
  abstract listUnexpired<State>(
    model: ReadModel<State>,
    unexpired: Unexpired,
    offset: number,
    limit: number,
  ): Promise<Page<State>>;

  /** Returns the first `limit` streams of a model with `due` after `after`, in order of their sort keys, which are at most `until`. */
  abstract listDue(
    model: ReadModel<unknown>,
    until: number,
    limit: number,
    after?: DueStream,
  ): Promise<readonly DueStream[]>;

  /** Adds accounts to the index of SSH keys. Repeats have no effect. Only an erasure removes an entry. */
  abstract addKeyOwners(owners: readonly KeyOwner[]): Promise<void>;

  /** Removes entries from the index of SSH keys. */
  abstract removeKeyOwners(owners: readonly KeyOwner[]): Promise<void>;

  /** Returns those of the entries that the index of SSH keys lacks. */
  abstract missingKeyOwners(owners: readonly KeyOwner[]): Promise<KeyOwner[]>;

  /** Returns the ids of the accounts with this prefix in the index of SSH keys: the first `limit` above `after`, in ascending order. */
  abstract keyOwners(prefix: number, after: number, limit: number): Promise<readonly number[]>;

  /** Returns at most `limit` documents of a model whose stream names sort after `after`, in byte order. */
  abstract documents(model: ReadModel<unknown>, after: string, limit: number): Promise<StoredDocument[]>;

  /** Removes the document of a stream if it still has this version. */
  abstract remove(ref: StreamRef<unknown>, version: number): Promise<void>;

  /** Removes the documents of streams that earlier versions of the program stored, at lower schema numbers. */
  abstract removeFormer(refs: readonly StreamRef<unknown>[]): Promise<void>;

  /** Records that a stream is parked; replaces an earlier record of it. */
  abstract park(parked: ParkedStream): Promise<void>;
  /** Releases a stream unless it failed again after this record. */
  abstract unpark(parked: ParkedStream): Promise<void>;
  /** Returns all parked streams or the given one, in the order of their failures. */
  abstract parked(stream?: string): Promise<ParkedStream[]>;
  /** Returns some of the parked streams in the same order, and the number of all. */
  abstract parkedPage(offset: number, limit: number): Promise<Page<ParkedStream>>;

  abstract close(): Promise<void>;
}
