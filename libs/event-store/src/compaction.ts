import type { NewCommit } from './commit.js';

/** Erases the events of streams that nobody needs any more. Abstract, so that it is both type and injection token. */
export abstract class StreamCompaction {
  /**
   * Replaces every commit of these streams by a void commit at the same position: all streams or none. Their events are gone for good.
   * Returns the number of commits replaced; repeating the call does no harm. Call it only after every reader of the feed has passed
   * these commits.
   *
   * The feed keeps its positions, and command ids and holds stay taken. The streams yield nothing any more; `voidStreamOf` names the
   * stream that holds the void commits. A compacted stream is closed: every later append to it throws `WrongExpectedVersion`. A
   * concurrent append is either compacted with the stream or refused. A concurrent read may return only the first commits of such a
   * stream, or only the last void ones.
   *
   * @throws StoreUnavailable the outcome is unknown, or another process is writing to one of the streams
   */
  abstract compact(streams: readonly string[]): Promise<number>;

  /**
   * Compacts streams like `compact`, and also releases the holds of their commits and empties the hashes of their commands, which could
   * identify a person. Void commits of streams that were compacted before lose these too. A repeated command of such a commit throws
   * `CommandIdReused`.
   *
   * @throws StoreUnavailable as `compact`
   */
  abstract erase(streams: readonly string[]): Promise<number>;
}

const VOID = 'void-';

/** Returns the name of the stream that holds the void commits of a compacted stream, with their original versions. */
export const voidStreamOf = (stream: string) => VOID + stream;

/** Returns the compacted stream to which a void stream of this name belongs; undefined for other names. */
export const compactedStreamOf = (stream: string) => (stream.startsWith(VOID) ? stream.slice(VOID.length) : undefined);

/** Command type of such a void commit. Its id and hash are those of the original command. */
export const COMPACTION = 'CompactStream';

/** Whether a commit is the remainder of a commit of a compacted stream. */
export const isCompacted = ({ command }: Pick<NewCommit, 'command'>) => command.type === COMPACTION;

/** Command type of a void commit that closes a hole in the feed. It has no meaning in another store. */
export const CLOSE_HOLE = 'CloseHole';
