import type { NewCommit } from './commit.js';

/** Where the void commits of a compacted stream are found, under the versions that its commits had. */
export const voidStreamOf = (stream: string) => `void-${stream}`;

/** What the command of such a void commit is called; its id and hash are those of the command that was there. */
export const COMPACTION = 'CompactStream';

/** Whether this is what is left of a commit of a compacted stream. */
export const isCompacted = ({ command }: NewCommit) => command.type === COMPACTION;
