import { feedKeyOf, type CommitDocument } from './commit.model.js';

/** Creates the commit that closes a hole in the feed. It belongs to no account, and every reader skips it. */
export function voidCommit(slot: number, position: number): CommitDocument {
  const stream = `void-${slot}`;
  return {
    _id: feedKeyOf(slot, position),
    partition: stream,
    stream,
    version: position,
    command: { id: `void:${slot}:${position}`, type: 'CloseHole', hash: '' },
    at: Date.now(),
    actor: 'feed',
    correlation: `void:${slot}:${position}`,
    events: [],
  };
}
