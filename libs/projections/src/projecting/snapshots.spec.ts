import { sshKeyRingAggregate } from '@keyfold/domain';
import { describe, expect, it } from 'vitest';
import { NOON } from '../../../domain/testing/account.events.js';
import { stateAfter } from '../../../domain/testing/decider-specification.js';
import { keyAdded, keyExpiryChanged } from '../../../domain/testing/ssh-key-ring.events.js';
import type { Loaded } from '../loading/fold.js';
import { weightOf } from '../loading/state-weight.js';
import { accountStream, sshKeyRingStream } from '../loading/stream-ref.js';
import { mayLag, Snapshots } from './snapshots.js';
import { accounts } from '../read-model.js';

const ring = sshKeyRingStream(7);
const keys = Array.from({ length: 40 }, (_, n) => keyAdded(n + 1, `key ${n + 1}`));
const state = stateAfter(sshKeyRingAggregate.decider, ...keys);
const expiring = stateAfter(sshKeyRingAggregate.decider, ...keys, keyExpiryChanged(1, NOON));
const HALF = weightOf(sshKeyRingAggregate, state) / 2;

/** Asks about a state of a ring whose document was written at a version, by default 40. */
function isDueAt(loaded: Loaded<unknown>, written: Loaded<unknown> = { state, version: 40 }) {
  const snapshots = new Snapshots();
  snapshots.written(ring, written);
  return snapshots.isDue(ring, loaded);
}

describe('the document of a large ring', () => {
  it('is due when the commits after it take half as much memory', () => {
    expect(isDueAt({ state, version: 40 + Math.ceil(HALF) - 1 })).toBe(false);
    expect(isDueAt({ state, version: 40 + Math.ceil(HALF) })).toBe(true);
  });

  it('is due with each commit while a key expires', () => {
    expect(isDueAt({ state: expiring, version: 41 })).toBe(true);
    expect(isDueAt({ state: expiring, version: 42 }, { state: expiring, version: 41 })).toBe(true);
  });

  it('is due when its last expiry is gone', () => {
    expect(isDueAt({ state, version: 42 }, { state: expiring, version: 41 })).toBe(true);
  });

  it('is due if this process has not written it yet', () => {
    expect(new Snapshots().isDue(ring, { state, version: 41 })).toBe(true);
  });
});

it('the document of a small ring is due with each commit', () => {
  const small = stateAfter(sshKeyRingAggregate.decider, keyAdded(1, 'laptop'));
  expect(isDueAt({ state: small, version: 2 }, { state: small, version: 1 })).toBe(true);
});

it('a document that clients list never lags', () => {
  const account = accountStream(7).aggregate.decider.initialState;
  expect(mayLag(accounts as never, 1, { state: account, version: 2 })).toBe(false);
});
