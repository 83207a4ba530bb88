import { AppendCounts } from './append-counts.js';
import type { Commit, NewCommit } from './commit.js';

/** A point in a stream: everything after `version` is wanted, or known. 0 is the beginning. */
export type StreamPoint = Readonly<{ stream: string; version: number }>;

/** `replayed`: a commit with the same command id was there already; it is the one returned. */
export type Appended = Readonly<{ outcome: 'appended' | 'replayed'; commit: Commit }>;

/** The hold with the highest key in byte order among those with a prefix; `stream` and `at` are those of the commit that took it. */
export type FoundHold = Readonly<{ key: string; stream: string; at: number }>;

/**
 * The log of everything that happened. Several processes may append to one store, and the store may be far away: every method may
 * fail with `StoreUnavailable`, and then nothing is half written. An abstract class so that it is type and injection token in one.
 */
export abstract class EventStore {
  /** Into how many ordered feeds the commits are divided; a partition is in one of them for ever. */
  abstract readonly slots: number;

  /** What became of the appends of this process; an adapter counts them. */
  readonly appends = new AppendCounts();

  /** The feed in which the commits of a partition are, from 0. */
  abstract slotOf(partition: string): number;

  /**
   * Stores one commit durably, or nothing. Concurrent appends may share a round trip; an error of one reaches only its caller.
   *
   * @throws CommandIdReused the command id was used by a different request
   * @throws HoldTaken a hold belongs to another commit
   * @throws WrongExpectedVersion the stream is not at `version - 1`, or it was compacted
   * @throws StoreUnavailable nothing was stored, or it is not known; the same commit may be appended again
   * When several apply, they are judged in this order: replay, CommandIdReused, WrongExpectedVersion, HoldTaken.
   */
  abstract append(commit: NewCommit): Promise<Appended>;

  /**
   * The commits after the given points, those of one stream in version order without a gap, each including everything that was
   * acknowledged before the call. Streams that do not exist yield nothing. One round trip for all streams.
   */
  abstract readStreams(points: readonly StreamPoint[]): Promise<Commit[]>;

  /** Whether it is known here and now that nothing was acknowledged after these points; false also when nobody knows. */
  isCurrent(_points: readonly StreamPoint[]): boolean {
    return false;
  }

  /** The commit of a command id, if there is one. */
  abstract findCommand(id: string): Promise<Commit | undefined>;

  /** The last hold in byte order that starts with `prefix`. */
  abstract findLastHold(prefix: string): Promise<FoundHold | undefined>;

  /** The commits of a slot after a position: ascending, contiguous from `after + 1`, at most `limit`. */
  abstract readFeed(slot: number, after: number, limit: number): Promise<Commit[]>;

  /** The last position of every slot, be it behind a hole; 0 of an empty one. One round trip for all slots. */
  abstract readHeads(): Promise<Map<number, number>>;

  /** Those of the given slots that hold a commit behind the given position, be it behind a hole. One round trip for all slots. */
  abstract slotsWithNews(positions: ReadonlyMap<number, number>): Promise<number[]>;

  /**
   * Puts a void commit on every free position between `after` and the last commit of the slot, so that its feed can be read on; an
   * append that comes late to such a position gets another one. Answers how many it closed. For the holder of the slot's lease.
   */
  abstract closeHoles(slot: number, after: number): Promise<number>;

  /**
   * Replaces every commit of these streams by a void commit at its position, all streams or none: their events are gone for good. The
   * feed keeps its positions, command ids and holds stay taken, and a repeated command is answered with what is left. The streams
   * yield nothing any more; `voidStreamOf` names where the void commits are found. A compacted stream is closed for good: every append to
   * it is refused with `WrongExpectedVersion`, whatever its version. An append that is stored first is compacted with the stream. A read that is under way meanwhile may yield the first commits of such a stream, or the last void ones, and not the others.
   * For streams whose commits every reader of the feed has passed. Repeating it does no harm. Answers how many commits it replaced.
   *
   * @throws StoreUnavailable nothing was replaced, or it is not known; also where another process is at one of the streams
   */
  abstract compact(streams: readonly string[]): Promise<number>;

  /**
   * Calls `ring` when something may have been appended by any process, with the slot where that is known; rings may be missed and may be
   * false. Answers what ends it.
   */
  abstract onAppended(ring: (slot?: number) => void): () => void;

  /** Releases files and connections; appends that were accepted are finished first. */
  abstract close(): Promise<void>;
}

/** Numbers that are never handed out twice; gaps are normal. */
export abstract class Counter {
  /** Takes `count` numbers and returns the first; the first number ever is `start`. */
  abstract take(name: string, count: number, start: number): Promise<number>;
}
