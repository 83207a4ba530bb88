import type { Loaded } from './fold.js';
import type { ReadModel, StreamRef } from './read-model.js';

export type Page<State> = Readonly<{ items: readonly State[]; total: number }>;

/** A stream that could not be folded, when and why; `version` is the commit that failed, 0 when all could be folded. `at` in unix milliseconds. */
export type ParkedStream = Readonly<{ stream: string; partition: string; version: number; error: string; at: number }>;

/** Where the documents of the read models live. Everything in it can be made again from the event store. */
export abstract class ReadModelStore {
  /** The documents of the given streams that exist, by stream name. One round trip. */
  abstract get(refs: readonly StreamRef<unknown>[]): Promise<Map<string, Loaded<unknown>>>;

  /** Writes a document unless one of the same or a later version is there. */
  abstract put<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void>;

  /** The states of a model's list in the order of their places; `offset` may lie behind the end. */
  abstract list<State>(model: ReadModel<State>, offset: number, limit: number): Promise<Page<State>>;

  abstract park(parked: ParkedStream): Promise<void>;
  abstract unpark(stream: string): Promise<void>;
  abstract parked(): Promise<ParkedStream[]>;

  abstract close(): Promise<void>;
}

/** How far readers of the feed have come. */
export abstract class CheckpointStore {
  /** The position up to which `reader` has worked through the slot; 0 at first. */
  abstract position(reader: string, slot: number): Promise<number>;
  /** Moves forward only. */
  abstract advance(reader: string, slot: number, position: number): Promise<void>;
}
