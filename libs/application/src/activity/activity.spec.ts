import { storedUpcasters } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { publicEventsOf } from '@keyfold/messaging/events';
import { describe, expect, it } from 'vitest';
import { commitOf, goldenEvent, goldenEvents } from '../../../messaging/testing/golden-commits.js';
import { activitiesOf, startedSession } from './activity.js';
import { ACTIVITY_TYPES, activityTypes } from './activity-types.js';

const activities = (commit: Commit) => activitiesOf({ cursor: { at: commit.at, key: commit.position }, commit });

/** Events that only replace a seal or record where a backup is. */
const HOUSEKEEPING = [...goldenEvents.keys()].filter((name) => /Resealed|^BackupMade|^OpenListUserLinked/.test(name));

describe('every event that was ever written', () => {
  it('has a row', () => {
    expect(Object.keys(activityTypes).toSorted()).toEqual(Object.keys(storedUpcasters).toSorted());
  });

  it.each([...goldenEvents])('%s is an activity or housekeeping, and shows no sealed value', (name, event) => {
    const shown = activities(commitOf([event]));
    expect(shown).toHaveLength(HOUSEKEEPING.includes(name) ? 0 : 1);
    const text = JSON.stringify(shown);
    for (const secret of Object.values(event.sealed ?? {})) expect(text).not.toContain(secret);
    for (const { type } of shown) expect(ACTIVITY_TYPES).toContain(type);
  });

  it.each([...goldenEvents])('%s has the type and the id of its public event, if it has one', (_, event) => {
    const commit = commitOf([event]);
    for (const { id, type } of publicEventsOf(commit)) expect(activities(commit)).toMatchObject([{ id, type }]);
  });
});

it('the values of settings are never shown', () => {
  const event = {
    type: 'SettingsChanged',
    v: 1,
    data: { changes: { announcement: { from: 'old-text', to: 'new-text' } } },
  };
  const shown = activities(commitOf([event]));
  expect(shown).toMatchObject([
    { type: 'site-settings.changed', accountId: undefined, details: { keys: ['announcement'] } },
  ]);
  expect(JSON.stringify(shown)).not.toMatch(/old-text|new-text/);
});

it('an event of a newer version is shown without its facts, and the others of its commit as usual', () => {
  const events = [goldenEvent('AccountDisabled.v1'), { type: 'AccountFrozen', v: 1, data: { secret: 'x' } }];
  expect(activities(commitOf(events))).toMatchObject([
    { id: 'account-42:3:1', type: 'unknown', details: {} },
    { id: 'account-42:3:0', type: 'account.disabled' },
  ]);
});

it('the address of a session is known unless a newer version started it', () => {
  const event = goldenEvent('SessionStarted.v1');
  const session = startedSession(commitOf([event]));
  expect(session).toMatchObject({ accountId: 42, address: '2001:db8::7' });
  expect(startedSession(commitOf([{ ...event, v: 99 }]))).toBeUndefined();
  expect(startedSession(commitOf([goldenEvent('SessionEnded.v1')]))).toBeUndefined();
});

it.each([
  ['session:7', { kind: 'session', accountId: 7 }],
  ['static-token:1', { kind: 'static-token', accountId: 1 }],
  ['access-token:7:12', { kind: 'access-token', accountId: 7, tokenId: 12 }],
  ['operator', { kind: 'operator' }],
])('the actor %s is named', (actor, named) => {
  expect(activities(commitOf([goldenEvent('AccountDisabled.v1')], { actor }))[0]!.actor).toEqual(named);
});
