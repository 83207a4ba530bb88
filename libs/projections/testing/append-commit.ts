import type { DomainEvent, StoredEvent } from '@keyfold/domain';
import type { Commit, EventStore, NewCommit } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { appendOne } from '../../event-store/testing/outcome.js';
import type { StreamRef } from '../src/loading/stream-ref.js';

/** An event of this version of the program, or as another version stored it. */
export type AnyEvent = DomainEvent | StoredEvent;

/** Appends one commit with these events to the stream. */
export async function appendCommit(
  store: EventStore,
  { stream, partition }: Pick<StreamRef<unknown>, 'stream' | 'partition'>,
  events: readonly AnyEvent[],
): Promise<Commit> {
  const before = await store.readStreams([{ stream, version: 0 }]);
  return appendOne(store, {
    stream,
    partition,
    version: before.length + 1,
    command: { id: randomUUID(), type: 'Test', hash: 'hash' },
    at: 1_768_478_400_000,
    actor: 'test',
    correlation: 'test',
    events: events as NewCommit['events'],
  });
}
