import { placeOf, type CommitDocument } from './commit.model.js';

/** What stands in the feed where no commit will ever be: it belongs to no account, and every reader passes over it. */
export function voidCommit(slot: number, ordinal: number): CommitDocument {
  const stream = `void-${slot}`;
  return {
    _id: placeOf(slot, ordinal),
    partition: stream,
    stream,
    version: ordinal,
    command: { id: `void:${slot}:${ordinal}`, type: 'CloseHole', hash: '' },
    at: Date.now(),
    actor: 'feed',
    correlation: `void:${slot}:${ordinal}`,
    events: [],
  };
}
