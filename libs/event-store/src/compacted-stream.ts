import type { NewCommit } from './commit.js';

const VOID = 'void-';

/** Returns the name of the stream that holds the void commits of a compacted stream, with their original versions. */
export const voidStreamOf = (stream: string) => VOID + stream;

/** Returns the compacted stream to which a void stream of this name belongs; undefined for other names. */
export const compactedStreamOf = (stream: string) => (stream.startsWith(VOID) ? stream.slice(VOID.length) : undefined);

/** Command type of such a void commit. Its id and hash are those of the original command. */
export const COMPACTION = 'CompactStream';

/** Whether a commit is the remainder of a commit of a compacted stream. */
export const isCompacted = ({ command }: Pick<NewCommit, 'command'>) => command.type === COMPACTION;
