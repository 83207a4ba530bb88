import type { NewCommit } from './commit.js';

const VOID = 'void-';

/** Where the void commits of a compacted stream are found, under the versions that its commits had. */
export const voidStreamOf = (stream: string) => VOID + stream;

/** The compacted stream whose void commits are found under this name, if there is one. */
export const compactedStreamOf = (stream: string) => (stream.startsWith(VOID) ? stream.slice(VOID.length) : undefined);

/** What the command of such a void commit is called; its id and hash are those of the command that was there. */
export const COMPACTION = 'CompactStream';

/** Whether this is what is left of a commit of a compacted stream. */
export const isCompacted = ({ command }: Pick<NewCommit, 'command'>) => command.type === COMPACTION;
