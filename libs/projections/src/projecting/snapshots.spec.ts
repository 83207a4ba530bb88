import { sshKeyRingAggregate } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { NOON } from '../../../domain/testing/account.events.js';
import { stateAfter } from '../../../domain/testing/decider-specification.js';
import { keyAdded, keyExpiryChanged } from '../../../domain/testing/ssh-key-ring.events.js';
import type { Loaded } from '../loading/fold.js';
import { weightOf } from '../loading/state-weight.js';
import { sshKeyRingStream } from '../loading/stream-ref.js';
import { Snapshots } from './snapshots.js';

const ring = sshKeyRingStream(7);
const keys = Array.from({ length: 40 }, (_, n) => keyAdded(n + 1, `key ${n + 1}`));
const state = stateAfter(sshKeyRingAggregate.decider, ...keys);
const expiring = stateAfter(sshKeyRingAggregate.decider, ...keys, keyExpiryChanged(1, NOON));
const HALF = weightOf(sshKeyRingAggregate, state) / 2;
const commits = (version: number) => [{ version } as Commit];

/** Asks about a state of a ring whose document was written at version 40, after the commits from `first` on. */
function isDueAt(loaded: Loaded<unknown>, first = 41) {
  const snapshots = new Snapshots();
  snapshots.written(ring, { state, version: 40 });
  return snapshots.isDue(ring, loaded, commits(first));
}

describe('the document of a large ring', () => {
  it('is due when the commits after it take half as much memory', () => {
    expect(isDueAt({ state, version: 40 + Math.ceil(HALF) - 1 })).toBe(false);
    expect(isDueAt({ state, version: 40 + Math.ceil(HALF) })).toBe(true);
  });

  it('is due when its sort key changes', () => {
    expect(isDueAt({ state: expiring, version: 41 })).toBe(true);
  });

  it('is due if another process may have projected commits in between', () => {
    expect(isDueAt({ state, version: 42 }, 42)).toBe(true);
  });

  it('is due if this process has not written it yet', () => {
    expect(new Snapshots().isDue(ring, { state, version: 41 }, commits(41))).toBe(true);
  });

  it('is due if the stream was projected without knowing its commits', () => {
    const snapshots = new Snapshots();
    snapshots.written(ring, { state, version: 40 });
    expect(snapshots.isDue(ring, { state, version: 41 }, [])).toBe(true);
  });

  it('is counted from its last write, over several pages of the feed', () => {
    const snapshots = new Snapshots();
    snapshots.written(ring, { state, version: 40 });
    expect(snapshots.isDue(ring, { state, version: 45 }, commits(41))).toBe(false);
    expect(snapshots.isDue(ring, { state, version: 50 }, commits(46))).toBe(false);
    expect(snapshots.isDue(ring, { state, version: 40 + Math.ceil(HALF) }, commits(51))).toBe(true);
  });
});
