import { describe, expect, it } from 'vitest';
import { deleteAccount, importing, named, newPassword, register } from '../../testing/account.commands.js';
import {
  deleted,
  enrolmentStarted,
  nameHashOf,
  passwordChanged,
  permissionsChanged,
  registered,
  renamed,
  twoFactorDisabled,
  twoFactorEnabled,
} from '../../testing/account.events.js';
import { given } from '../../testing/decider-specification.js';
import { ADMIN_ID, GUEST_ID, accountDecider } from './account.decider.js';
import { ROLE_ADMIN, ROLE_GUEST } from './account.events.js';
import { parseUsernameHold, releasedNameHold, usernameHold, usernameHoldPrefix } from './account.holds.js';

const ann = nameHashOf('ann');
const taken = named('ann', 'taken');
const nobody = given(accountDecider);

describe('RegisterAccount', () => {
  it('registers the account and takes the hold of its name in the first turn', () => {
    nobody
      .when(register('ann'))
      .thenEvents(registered('ann'))
      .thenHolds(`username:${ann}:0000000001`)
      .thenTakenRefusal('username-taken');
  });

  it('keeps every field that was given', () => {
    const fields = { basePath: '/team', permission: 1280, disabled: true, ssoId: 'idp|9', allowLdap: false };
    nobody
      .when(register('ann', { ...fields, password: newPassword('first', 1_768_000_123) }))
      .thenEvents(registered('ann', { ...fields, passwordTimestamp: 1_768_000_123 }));
  });

  it('normalizes the base path', () => {
    nobody.when(register('ann', { basePath: '..\\x//y/' })).thenEvents(registered('ann', { basePath: '/x/y' }));
  });

  it('takes the next turn of a name that had other owners', () => {
    nobody
      .when(register('ann', { name: named('ann', 12) }))
      .thenEvents(registered('ann', { turn: 12 }))
      .thenHolds(`username:${ann}:0000000012`);
  });

  it.each([5, -1])('stores the unknown role %i', (role) => {
    nobody.when(register('ann', { role })).thenEvents(registered('ann', { role }));
  });

  it.each([
    ['admin', ADMIN_ID, ROLE_ADMIN],
    ['guest', GUEST_ID, ROLE_GUEST],
  ])('creates the %s at the first start', (username, accountId, role) => {
    nobody
      .when(register(username, { origin: 'first-start', accountId, role }))
      .thenEvents(registered(username, { accountId, role }));
  });

  it.each([
    ['admin-or-guest-uncreatable', 'the admin from an administrator', [], { role: ROLE_ADMIN }],
    ['admin-or-guest-uncreatable', 'the guest from an administrator', [], { role: ROLE_GUEST }],
    ['account-id-taken', 'an id that is in use', [registered('ann')], {}],
    ['account-id-taken', 'the id of a deleted account', [registered('ann'), deleted('ann')], {}],
    ['username-taken', 'a name that is in use', [], { name: taken }],
    ['admin-or-guest-uncreatable', 'role before id and name', [registered('ann')], { role: ROLE_ADMIN, name: taken }],
    ['account-id-taken', 'id before name', [registered('ann')], { name: taken }],
    [
      'account-id-taken',
      'the id of an existing admin',
      [registered('admin', { role: ROLE_ADMIN })],
      { origin: 'first-start', role: ROLE_ADMIN, name: taken },
    ],
  ] as const)('refuses with %s: %s', (refusal, _what, history, differing) => {
    given(accountDecider, ...history)
      .when(register('ann', differing))
      .thenRefused(refusal);
  });
});

describe('ImportAccount', () => {
  const second = newPassword('second', 1_768_000_123);

  it('registers an account with its second factor in one commit', () => {
    nobody
      .when(importing('ann', { disabled: true, sealedSecret: 'sealed secret 1' }))
      .thenEvents(registered('ann', { disabled: true }), enrolmentStarted(1), twoFactorEnabled(1))
      .thenHolds(`username:${ann}:0000000001`);
  });

  it('makes an existing account equal to the other one', () => {
    given(accountDecider, registered('ann'), enrolmentStarted(1), twoFactorEnabled(1))
      .when(importing('bea', { permission: 256, password: second }))
      .thenEvents(
        renamed('ann', 'bea'),
        passwordChanged('second', 1_768_000_123),
        permissionsChanged(256),
        twoFactorDisabled,
      );
  });

  it('takes over the admin of the first start', () => {
    given(accountDecider, registered('admin', { role: ROLE_ADMIN }))
      .when(importing('admin', { role: ROLE_ADMIN, password: second }))
      .thenEvents(passwordChanged('second', 1_768_000_123));
  });

  it('changes nothing without a difference', () => {
    given(accountDecider, registered('ann'))
      .when(importing('ann', { password: undefined }))
      .thenNothing();
  });

  it.each([
    ['admin-or-guest-uncreatable', 'a further admin', [], { role: ROLE_ADMIN }],
    ['role-unchangeable', 'another role', [registered('ann')], { role: ROLE_ADMIN }],
    [
      'guest-has-no-two-factor',
      'a guest with two-factor',
      [registered('ann', { role: ROLE_GUEST })],
      { role: ROLE_GUEST, sealedSecret: 'sealed secret 1' },
    ],
    ['username-taken', 'a name that is in use', [], { name: taken }],
    ['account-not-found', 'a deleted account', [registered('ann'), deleted('ann')], {}],
  ] as const)('refuses with %s: %s', (refusal, _what, history, differing) => {
    given(accountDecider, ...history)
      .when(importing('ann', differing))
      .thenRefused(refusal);
  });
});

describe('DeleteAccount', () => {
  it('deletes the account and releases its name', () => {
    given(accountDecider, registered('ann', { turn: 3 }))
      .when(deleteAccount)
      .thenEvents(deleted('ann'))
      .thenHolds(`username:${ann}:0000000003:released`)
      .thenTakenRefusal('username-taken');
  });

  it('releases the current name, not the first one', () => {
    given(accountDecider, registered('ann'), renamed('ann', 'bea', 4))
      .when(deleteAccount)
      .thenEvents(deleted('bea'))
      .thenHolds(`username:${nameHashOf('bea')}:0000000004:released`);
  });

  it.each([ROLE_ADMIN, ROLE_GUEST])('refuses an account with role %i', (role) => {
    given(accountDecider, registered('ann', { role })).when(deleteAccount).thenRefused('admin-or-guest-undeletable');
  });

  it('refuses to delete it twice', () => {
    given(accountDecider, registered('ann'), deleted('ann')).when(deleteAccount).thenRefused('account-not-found');
  });
});

it('the holds of a name sort in byte order by turn, each release after its turn, and can be parsed', () => {
  const turns = [1, 2, 9, 10, 99, 1_000_000];
  const inOrder = turns.flatMap((turn) => [usernameHold(ann, turn).key, releasedNameHold(ann, turn).key]);
  const sorted = inOrder.map((key) => Buffer.from(key)).toSorted(Buffer.compare);
  expect(sorted.map(String)).toStrictEqual(inOrder);
  expect(inOrder.filter((key) => !key.startsWith(usernameHoldPrefix(ann)))).toEqual([]);
  const parsed = turns.flatMap((turn) => [
    { turn, released: false },
    { turn, released: true },
  ]);
  expect(inOrder.map(parseUsernameHold)).toStrictEqual(parsed);
});
