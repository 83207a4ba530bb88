import { describe, it } from 'vitest';
import { changeOwnProfile, named, newPassword, register, update } from '../../testing/account.commands.js';
import {
  disabled,
  enabled,
  nameHashOf,
  passwordChanged,
  permissionsChanged,
  profileChanged,
  registered,
  renamed,
} from '../../testing/account.events.js';
import { given } from '../../testing/decider-specification.js';
import { TEXT_BYTES } from '../kernel/bounded-text.js';
import { accountDecider } from './account.decider.js';
import { ROLE_ADMIN, ROLE_GUEST } from './account.events.js';

const [annHash, beaHash] = [nameHashOf('ann'), nameHashOf('bea')];
const takenBea = named('bea', 'taken');
const second = newPassword('second', 1_768_000_500);
const secondPassword = passwordChanged('second', 1_768_000_500);
const ann = given(accountDecider, registered('ann'));
const annWith = (differing: Parameters<typeof registered>[1]) => given(accountDecider, registered('ann', differing));

describe('UpdateAccount', () => {
  it.each([
    [{ basePath: '/x' }, profileChanged({ basePath: '/x' })],
    [{ basePath: '..\\x//y/' }, profileChanged({ basePath: '/x/y' })],
    [{ ssoId: 'idp|9' }, profileChanged({ ssoId: 'idp|9' })],
    [{ allowLdap: false }, profileChanged({ allowLdap: false })],
    [{ basePath: '/x', ssoId: 'idp|9' }, profileChanged({ basePath: '/x', ssoId: 'idp|9' })],
    [{ permission: 256 }, permissionsChanged(256)],
    [{ disabled: true }, disabled],
    [{ password: second }, secondPassword],
    // A password is stored even if its hash and time are the same.
    [{ password: newPassword('first', 1_768_000_000) }, passwordChanged('first', 1_768_000_000)],
  ])('changes only %o', (differing, event) => {
    ann.when(update('ann', differing)).thenEvents(event).thenHolds();
  });

  it.each([
    [{ basePath: 'x' }, profileChanged({ basePath: '/x' })],
    [{ ssoId: 'idp|9' }, profileChanged({ ssoId: 'idp|9' })],
    [{ permission: 0 }, permissionsChanged(0)],
    [{ disabled: false }, enabled],
    [{ name: named('bea') }, renamed('ann', 'bea')],
  ] as const)('keeps the fields that %o does not name', (changes, event) => {
    const fields = { basePath: '/team', ssoId: 'idp|1', permission: 5, disabled: true, allowLdap: false };
    annWith(fields)
      .when({ type: 'UpdateAccount', ...changes })
      .thenEvents(event);
  });

  it('does nothing if nothing differs', () => {
    ann.when(update('ann')).thenNothing();
    annWith({ disabled: true })
      .when(update('ann', { disabled: true }))
      .thenNothing();
    annWith({ basePath: '/x/y' })
      .when(update('ann', { basePath: '..\\x//y/' }))
      .thenNothing();
  });

  it('renames, takes the hold of the new name and releases the old one', () => {
    annWith({ turn: 2 })
      .when(update('ann', { name: named('bea', 5) }))
      .thenEvents(renamed('ann', 'bea', 5))
      .thenHolds(`username:${beaHash}:0000000005`, `username:${annHash}:0000000002:released`)
      .thenTakenRefusal('username-taken', 'username-taken');
  });

  it('takes a new turn of a name that the account had before', () => {
    given(accountDecider, registered('ann'), renamed('ann', 'bea'))
      .when(update('bea', { name: named('ann', 2) }))
      .thenEvents(renamed('bea', 'ann', 2))
      .thenHolds(`username:${annHash}:0000000002`, `username:${beaHash}:0000000001:released`);
  });

  it('treats names that differ in case as different', () => {
    ann.when(update('ann', { name: named('Ann') })).thenEvents(renamed('ann', 'Ann'));
  });

  it('puts all changes into one commit', () => {
    const profile = { basePath: '/x', ssoId: 'idp|9', allowLdap: false };
    ann
      .when(update('ann', { name: named('bea'), password: second, ...profile, permission: 3, disabled: true }))
      .thenEvents(renamed('ann', 'bea'), secondPassword, profileChanged(profile), permissionsChanged(3), disabled);
  });

  it('renames and enables the guest and gives it permissions', () => {
    given(accountDecider, registered('guest', { role: ROLE_GUEST, disabled: true }))
      .when(update('guest', { role: ROLE_GUEST, name: named('visitor'), permission: 3 }))
      .thenEvents(renamed('guest', 'visitor'), permissionsChanged(3), enabled);
  });

  it.each([
    ['role-unchangeable', 0, { role: ROLE_ADMIN }],
    ['role-unchangeable', 0, { role: ROLE_GUEST }],
    ['role-unchangeable', ROLE_GUEST, { role: 0 }],
    // With several reasons, the first of these applies: role, disabled admin, name.
    ['role-unchangeable', ROLE_ADMIN, { role: 0, disabled: true, name: takenBea }],
    ['admin-undisableable', ROLE_ADMIN, { role: ROLE_ADMIN, disabled: true, name: takenBea }],
    ['username-taken', 0, { name: takenBea }],
  ] as const)('refuses with %s to change an account of role %i to %o', (refusal, role, wanted) => {
    annWith({ role }).when(update('ann', wanted)).thenRefused(refusal);
  });
});

describe('ChangeOwnProfile', () => {
  it('does nothing if nothing differs', () => {
    ann.when(changeOwnProfile('ann')).thenNothing();
  });

  it('changes name, password and single sign-on id in one commit', () => {
    ann
      .when(changeOwnProfile('ann', { name: named('bea'), password: second, ssoId: 'idp|9' }))
      .thenEvents(renamed('ann', 'bea'), secondPassword, profileChanged({ ssoId: 'idp|9' }))
      .thenHolds(`username:${beaHash}:0000000001`, `username:${annHash}:0000000001:released`);
  });

  it.each(['', 'idp|9'])('sets the single sign-on id to %j, and leaves base path and rights', (ssoId) => {
    annWith({ ssoId: 'idp|1', basePath: '/team', permission: 9, allowLdap: false })
      .when(changeOwnProfile('ann', { ssoId }))
      .thenEvents(profileChanged({ ssoId }));
  });

  it('refuses a name that another account has, and the guest before it checks the name', () => {
    ann.when(changeOwnProfile('ann', { name: takenBea })).thenRefused('username-taken');
    annWith({ role: ROLE_GUEST })
      .when(changeOwnProfile('ann', { name: takenBea }))
      .thenRefused('guest-has-no-profile');
  });
});

describe('SetPassword', () => {
  const command = { type: 'SetPassword', password: second } as const;

  it('changes only the password, even of a disabled account', () => {
    given(accountDecider, registered('ann'), disabled, permissionsChanged(0))
      .when(command)
      .thenEvents(secondPassword)
      .thenHolds();
  });

  it('is refused if there is no account', () => {
    given(accountDecider).when(command).thenRefused('account-not-found');
  });
});

const text = (bytes: number) => 'ä'.repeat(bytes / 2);
const path = (bytes: number) => `/${'a'.repeat(bytes - 1)}`;
const [name, longName] = [text(TEXT_BYTES.username), text(TEXT_BYTES.username + 2)];
const [ssoId, longSsoId] = [text(TEXT_BYTES.ssoId), text(TEXT_BYTES.ssoId + 2)];
const [basePath, longBasePath] = [path(TEXT_BYTES.basePath), path(TEXT_BYTES.basePath + 1)];

describe('a new account with long texts', () => {
  it('accepts texts of the maximum length', () => {
    given(accountDecider).when(register(name, { basePath, ssoId })).thenEvents(registered(name, { basePath, ssoId }));
  });

  it.each([
    ['username-too-long', register(longName)],
    ['username-too-long', register(longName, { name: named(longName, 'taken') })],
    ['base-path-too-long', register('ann', { basePath: longBasePath })],
    ['sso-id-too-long', register('ann', { ssoId: longSsoId })],
  ] as const)('is refused with %s just over the limit', (refusal, command) => {
    given(accountDecider).when(command).thenRefused(refusal);
  });

  it('measures the normalized base path', () => {
    const detour = 'a/../'.repeat(TEXT_BYTES.basePath);
    given(accountDecider)
      .when(register('ann', { basePath: detour }))
      .thenEvents(registered('ann'));
  });
});

describe('a changed account with long texts', () => {
  it('accepts texts of the maximum length', () => {
    ann
      .when(update('ann', { name: named(name), basePath, ssoId }))
      .thenEvents(renamed('ann', name), profileChanged({ basePath, ssoId }));
  });

  it.each([
    ['username-too-long', update('ann', { name: named(longName) })],
    ['base-path-too-long', update('ann', { basePath: longBasePath })],
    ['sso-id-too-long', update('ann', { ssoId: longSsoId })],
    ['username-too-long', changeOwnProfile('ann', { name: named(longName) })],
    ['sso-id-too-long', changeOwnProfile('ann', { ssoId: longSsoId })],
  ] as const)('is refused with %s just over the limit', (refusal, command) => {
    ann.when(command).thenRefused(refusal);
  });

  it('keeps texts that are older than the limits', () => {
    const old = registered(longName, { basePath: longBasePath, ssoId: longSsoId });
    given(accountDecider, old)
      .when(update(longName, { basePath: longBasePath, ssoId: 'idp|9' }))
      .thenEvents(profileChanged({ ssoId: 'idp|9' }));
    given(accountDecider, old)
      .when(changeOwnProfile('ann', { name: named('ann'), ssoId: longSsoId }))
      .thenEvents(renamed(longName, 'ann'));
  });
});
