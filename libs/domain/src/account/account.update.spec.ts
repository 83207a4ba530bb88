import { describe, it } from 'vitest';
import { changeOwnProfile, named, newPassword, update } from '../../testing/account.commands.js';
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
import { accountDecider } from './account.decider.js';
import { ROLE_ADMIN, ROLE_GUEST } from './account.events.js';

const ann = nameHashOf('ann');
const bea = nameHashOf('bea');

describe('UpdateAccount', () => {
  it('does nothing if nothing differs', () => {
    given(accountDecider, registered('ann')).when(update('ann')).thenNothing();
  });

  it.each([
    [{ basePath: '/x' }, profileChanged({ basePath: '/x' })],
    [{ ssoId: 'idp|9' }, profileChanged({ ssoId: 'idp|9' })],
    [{ allowLdap: false }, profileChanged({ allowLdap: false })],
    [{ permission: 256 }, permissionsChanged(256)],
    [{ disabled: true }, disabled],
    [{ password: newPassword('second', 1_768_000_500) }, passwordChanged('second', 1_768_000_500)],
  ])('changes only %o', (differing, event) => {
    given(accountDecider, registered('ann')).when(update('ann', differing)).thenEvents(event).thenHolds();
  });

  it.each([
    [{ basePath: 'x' }, profileChanged({ basePath: '/x' })],
    [{ ssoId: 'idp|9' }, profileChanged({ ssoId: 'idp|9' })],
    [{ permission: 0 }, permissionsChanged(0)],
    [{ disabled: false }, enabled],
    [{ name: named('bea') }, renamed('ann', 'bea')],
  ] as const)('keeps the fields that %o does not name', (changes, event) => {
    const fields = { basePath: '/team', ssoId: 'idp|1', permission: 5, disabled: true, allowLdap: false };
    given(accountDecider, registered('ann', fields))
      .when({ type: 'UpdateAccount', ...changes })
      .thenEvents(event);
  });

  it('records only the profile fields that differ', () => {
    given(accountDecider, registered('ann', { basePath: '/team' }))
      .when(update('ann', { basePath: '/x', ssoId: 'idp|9' }))
      .thenEvents(profileChanged({ basePath: '/x', ssoId: 'idp|9' }));
  });

  it('enables a disabled account', () => {
    given(accountDecider, registered('ann'), disabled).when(update('ann')).thenEvents(enabled);
  });

  it('does not disable a disabled account again', () => {
    given(accountDecider, registered('ann'), disabled)
      .when(update('ann', { disabled: true }))
      .thenNothing();
  });

  it('keeps a base path that is equal after normalization', () => {
    given(accountDecider, registered('ann', { basePath: '/x/y' }))
      .when(update('ann', { basePath: '..\\x//y/' }))
      .thenNothing();
  });

  it('normalizes the base path', () => {
    given(accountDecider, registered('ann'))
      .when(update('ann', { basePath: '..\\x//y/' }))
      .thenEvents(profileChanged({ basePath: '/x/y' }));
  });

  it('stores a password even if its hash and time are the same', () => {
    given(accountDecider, registered('ann'))
      .when(update('ann', { password: newPassword('first', 1_768_000_000) }))
      .thenEvents(passwordChanged('first', 1_768_000_000));
  });

  it('renames, takes the hold of the new name and releases the old one', () => {
    given(accountDecider, registered('ann', { turn: 2 }))
      .when(update('ann', { name: named('bea', 5) }))
      .thenEvents(renamed('ann', 'bea', 5))
      .thenHolds(`username:${bea}:0000000005`, `username:${ann}:0000000002:released`)
      .thenTakenRefusal('username-taken', 'username-taken');
  });

  it('takes a new turn of a name that the account had before', () => {
    given(accountDecider, registered('ann'), renamed('ann', 'bea'))
      .when(update('bea', { name: named('ann', 2) }))
      .thenEvents(renamed('bea', 'ann', 2))
      .thenHolds(`username:${ann}:0000000002`, `username:${bea}:0000000001:released`);
  });

  it('treats names that differ in case as different', () => {
    given(accountDecider, registered('ann'))
      .when(update('ann', { name: named('Ann') }))
      .thenEvents(renamed('ann', 'Ann'));
  });

  it('puts all changes into one commit', () => {
    const wanted = {
      name: named('bea'),
      password: newPassword('second', 1_768_000_500),
      basePath: '/x',
      ssoId: 'idp|9',
      allowLdap: false,
      permission: 3,
      disabled: true,
    };
    given(accountDecider, registered('ann'))
      .when(update('ann', wanted))
      .thenEvents(
        renamed('ann', 'bea'),
        passwordChanged('second', 1_768_000_500),
        profileChanged({ basePath: '/x', ssoId: 'idp|9', allowLdap: false }),
        permissionsChanged(3),
        disabled,
      );
  });

  it('renames and enables the guest and gives it permissions', () => {
    given(accountDecider, registered('guest', { role: ROLE_GUEST, disabled: true }))
      .when(update('guest', { role: ROLE_GUEST, name: named('visitor'), permission: 3 }))
      .thenEvents(renamed('guest', 'visitor'), permissionsChanged(3), enabled);
  });

  it.each([
    [0, ROLE_ADMIN],
    [0, ROLE_GUEST],
    [ROLE_ADMIN, 0],
    [ROLE_GUEST, 0],
  ])('refuses to change role %i to %i', (role, wanted) => {
    given(accountDecider, registered('ann', { role }))
      .when(update('ann', { role: wanted }))
      .thenRefused('role-unchangeable');
  });

  it('refuses to disable the admin', () => {
    given(accountDecider, registered('admin', { role: ROLE_ADMIN }))
      .when(update('admin', { role: ROLE_ADMIN, disabled: true }))
      .thenRefused('admin-undisableable');
  });

  it('refuses a name that another account has', () => {
    given(accountDecider, registered('ann'))
      .when(update('ann', { name: named('bea', 'taken') }))
      .thenRefused('username-taken');
  });

  it('reports the role before the disabled admin and the taken name', () => {
    given(accountDecider, registered('admin', { role: ROLE_ADMIN }))
      .when(update('admin', { role: 0, disabled: true, name: named('bea', 'taken') }))
      .thenRefused('role-unchangeable');
  });

  it('reports the disabled admin before the taken name', () => {
    given(accountDecider, registered('admin', { role: ROLE_ADMIN }))
      .when(update('admin', { role: ROLE_ADMIN, disabled: true, name: named('bea', 'taken') }))
      .thenRefused('admin-undisableable');
  });
});

describe('ChangeOwnProfile', () => {
  it('does nothing if nothing differs', () => {
    given(accountDecider, registered('ann')).when(changeOwnProfile('ann')).thenNothing();
  });

  it('changes name, password and single sign-on id in one commit', () => {
    const password = newPassword('second', 1_768_000_500);
    given(accountDecider, registered('ann'))
      .when(changeOwnProfile('ann', { name: named('bea'), password, ssoId: 'idp|9' }))
      .thenEvents(renamed('ann', 'bea'), passwordChanged('second', 1_768_000_500), profileChanged({ ssoId: 'idp|9' }))
      .thenHolds(`username:${bea}:0000000001`, `username:${ann}:0000000001:released`);
  });

  it('clears the single sign-on id', () => {
    given(accountDecider, registered('ann', { ssoId: 'idp|9' }))
      .when(changeOwnProfile('ann'))
      .thenEvents(profileChanged({ ssoId: '' }));
  });

  it('does not change base path or rights', () => {
    given(accountDecider, registered('ann', { basePath: '/team', permission: 9, allowLdap: false }))
      .when(changeOwnProfile('ann', { ssoId: 'idp|9' }))
      .thenEvents(profileChanged({ ssoId: 'idp|9' }));
  });

  it('refuses a name that another account has', () => {
    given(accountDecider, registered('ann'))
      .when(changeOwnProfile('ann', { name: named('bea', 'taken') }))
      .thenRefused('username-taken');
  });

  it('refuses the guest before it checks the name', () => {
    given(accountDecider, registered('guest', { role: ROLE_GUEST }))
      .when(changeOwnProfile('guest', { name: named('bea', 'taken') }))
      .thenRefused('guest-has-no-profile');
  });
});

describe('SetPassword', () => {
  const command = { type: 'SetPassword', password: newPassword('second', 1_768_000_500) } as const;

  it('changes only the password, even of a disabled account', () => {
    given(accountDecider, registered('ann'), disabled, permissionsChanged(0))
      .when(command)
      .thenEvents(passwordChanged('second', 1_768_000_500))
      .thenHolds();
  });

  it('is refused if there is no account', () => {
    given(accountDecider).when(command).thenRefused('account-not-found');
  });
});
