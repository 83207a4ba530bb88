import type { StoredEvent } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { foldCommit, UnfoldableStream, type Fold } from './fold.js';

/** Adds up numbers; version 1 of the event carried them as text. */
const sums: Fold<number> = {
  upcasters: {
    Added: [({ data, ...event }) => ({ ...event, v: 2, data: { by: Number(data['by']) } })],
  },
  decider: { initialState: 0, evolve: (sum, { data }) => sum + (data as { by: number }).by },
};
const added = (by: number): StoredEvent => ({ type: 'Added', v: 2, data: { by } });
const commit = (version: number, ...events: readonly StoredEvent[]): Commit => ({
  position: version,
  partition: '1',
  stream: 'sum-1',
  version,
  command: { id: String(version), type: 'Add', hash: 'hash' },
  at: 0,
  actor: 'test',
  correlation: 'test',
  events,
});

describe('folding a commit', () => {
  it('applies all its events and increments the version', () => {
    expect(foldCommit(sums, { state: 1, version: 3 }, commit(4, added(2), added(4)))).toEqual({ state: 7, version: 4 });
  });

  it('reads events of earlier versions', () => {
    const old = { type: 'Added', v: 1, data: { by: '5' } };
    expect(foldCommit(sums, { state: 0, version: 0 }, commit(1, old, added(1)))).toEqual({ state: 6, version: 1 });
  });

  it.each([
    ['of a newer version', commit(1, { type: 'Added', v: 3, data: {} }), 'Added, version 3'],
    ['of an unknown type', commit(1, { type: 'Removed', v: 1, data: {} }), 'Removed, version 1'],
    ['after a gap', commit(2, added(1)), 'does not follow commit 0'],
    ['that was already folded', commit(0, added(1)), 'does not follow commit 0'],
  ])('refuses a commit %s and names stream, version and reason', (_, unfoldable, reason) => {
    const fold = () => foldCommit(sums, { state: 0, version: 0 }, unfoldable);
    expect(fold).toThrow(UnfoldableStream);
    expect(fold).toThrow(`cannot fold commit ${unfoldable.version} of stream sum-1`);
    expect(fold).toThrow(reason);
  });
});
