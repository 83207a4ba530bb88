import { describe, expect, it } from 'vitest';
import { deleteAccount, named, newPassword, register } from '../../testing/account.commands.js';
import { deleted, nameHashOf, registered, renamed } from '../../testing/account.events.js';
import { given } from '../../testing/decider-specification.js';
import { ADMIN_ID, GUEST_ID, accountDecider } from './account.decider.js';
import { ROLE_ADMIN, ROLE_GUEST } from './account.events.js';

const ann = nameHashOf('ann');

describe('RegisterAccount', () => {
  it('registers the account and takes the hold of its name in the first turn', () => {
    given(accountDecider)
      .when(register('ann'))
      .thenEvents(registered('ann'))
      .thenHolds(`username:${ann}:0000000001`)
      .thenTakenRefusal('username-taken');
  });

  it('keeps every field that was given', () => {
    const fields = { basePath: '/team', permission: 1280, disabled: true, ssoId: 'idp|9', allowLdap: false };
    given(accountDecider)
      .when(register('ann', { ...fields, password: newPassword('first', 1_768_000_123) }))
      .thenEvents(registered('ann', { ...fields, passwordTimestamp: 1_768_000_123 }));
  });

  it('normalizes the base path', () => {
    given(accountDecider)
      .when(register('ann', { basePath: '..\\x//y/' }))
      .thenEvents(registered('ann', { basePath: '/x/y' }));
  });

  it('takes the next turn of a name that had other owners', () => {
    given(accountDecider)
      .when(register('ann', { name: named('ann', 12) }))
      .thenEvents(registered('ann', { turn: 12 }))
      .thenHolds(`username:${ann}:0000000012`);
  });

  it.each([5, -1])('stores the unknown role %i', (role) => {
    given(accountDecider).when(register('ann', { role })).thenEvents(registered('ann', { role }));
  });

  it.each([
    ['admin', ADMIN_ID, ROLE_ADMIN],
    ['guest', GUEST_ID, ROLE_GUEST],
  ])('creates the %s at the first start', (username, accountId, role) => {
    given(accountDecider)
      .when(register(username, { origin: 'first-start', accountId, role }))
      .thenEvents(registered(username, { accountId, role }));
  });

  it.each([ROLE_ADMIN, ROLE_GUEST])('refuses role %i from an administrator', (role) => {
    given(accountDecider).when(register('ann', { role })).thenRefused('admin-or-guest-uncreatable');
  });

  it('refuses an id that is in use', () => {
    given(accountDecider, registered('ann')).when(register('bea')).thenRefused('account-id-taken');
  });

  it('refuses the id of a deleted account', () => {
    given(accountDecider, registered('ann'), deleted('ann')).when(register('bea')).thenRefused('account-id-taken');
  });

  it('refuses a name that is in use', () => {
    given(accountDecider)
      .when(register('ann', { name: named('ann', 'taken') }))
      .thenRefused('username-taken');
  });

  describe('with several reasons for refusal', () => {
    const taken = named('ann', 'taken');

    it('reports the role before the id and the name', () => {
      given(accountDecider, registered('ann'))
        .when(register('ann', { role: ROLE_ADMIN, name: taken }))
        .thenRefused('admin-or-guest-uncreatable');
    });

    it('reports the id before the name', () => {
      given(accountDecider, registered('ann'))
        .when(register('ann', { name: taken }))
        .thenRefused('account-id-taken');
    });

    it('reports the id of an existing admin', () => {
      given(accountDecider, registered('admin', { role: ROLE_ADMIN }))
        .when(register('admin', { origin: 'first-start', role: ROLE_ADMIN, name: taken }))
        .thenRefused('account-id-taken');
    });
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

  it.each([
    ['admin', ROLE_ADMIN],
    ['guest', ROLE_GUEST],
  ])('refuses the %s', (username, role) => {
    given(accountDecider, registered(username, { role })).when(deleteAccount).thenRefused('admin-or-guest-undeletable');
  });

  it('refuses to delete it twice', () => {
    given(accountDecider, registered('ann'), deleted('ann')).when(deleteAccount).thenRefused('account-not-found');
  });
});

it('the first accounts have the ids 1 and 2', () => {
  expect({ ADMIN_ID, GUEST_ID }).toStrictEqual({ ADMIN_ID: 1, GUEST_ID: 2 });
});
