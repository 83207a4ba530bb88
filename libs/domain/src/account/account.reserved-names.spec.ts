import { describe, expect, it } from 'vitest';
import { changeOwnProfile, named, register, update } from '../../testing/account.commands.js';
import { nameHashOf, NOON, profileChanged, registered, renamed } from '../../testing/account.events.js';
import { given } from '../../testing/decider-specification.js';
import { accountDecider } from './account.decider.js';
import { isStandInName, NameRules, type NameClaim } from './name-rules.js';

describe('ChangeOwnProfile to a reserved name', () => {
  const DAY = 86_400_000;
  const nameRules = new NameRules(30 * DAY, ['root', 'Backup']);
  /** Returns a claim of "bea", which account 8 released this long ago. */
  const bea = (sinceRelease: number) => ({ ...named('bea', 2), released: { by: 8, at: NOON - sinceRelease } });
  const rename = (name: NameClaim) => changeOwnProfile('ann', { name, nameRules });
  const ann = given(accountDecider, registered('ann'));

  it.each([0, 30 * DAY - 1, -5_000])('is refused %i ms after another account released it', (sinceRelease) => {
    ann.when(rename(bea(sinceRelease))).thenRefused('username-reserved');
  });

  it('is accepted once that time is over', () => {
    ann.when(rename(bea(30 * DAY))).thenEvents(renamed('ann', 'bea', 2));
  });

  it('is accepted from the account that released it', () => {
    given(accountDecider, registered('ann'), renamed('ann', 'bea'))
      .when(changeOwnProfile('bea', { name: { ...named('ann', 2), released: { by: 7, at: NOON } }, nameRules }))
      .thenEvents(renamed('bea', 'ann', 2));
  });

  it.each([0, -5_000])('is accepted %i ms after its release if released names are not reserved', (sinceRelease) => {
    ann.when({ ...rename(bea(sinceRelease)), nameRules: new NameRules(0, []) }).thenEvents(renamed('ann', 'bea', 2));
  });

  it.each(['root', 'ROOT', ' root', 'root\n', 'ｒｏｏｔ', 'backup'])('is refused for the system name %j', (name) => {
    ann.when(rename(named(name))).thenRefused('username-reserved');
  });

  it.each(['roots', 'ro ot', 'r\ud800oot'])('is accepted for %j, which only resembles a system name', (name) => {
    ann.when(rename(named(name))).thenEvents(renamed('ann', name));
  });

  it('is refused for a system name to the account that released it', () => {
    given(accountDecider, registered('root'), renamed('root', 'ann'))
      .when(rename({ ...named('root', 2), released: { by: 7, at: NOON } }))
      .thenRefused('username-reserved');
  });

  it('does not stop the owner of such a name from changing other fields', () => {
    given(accountDecider, registered('root'))
      .when(changeOwnProfile('root', { ssoId: 'idp|9', nameRules }))
      .thenEvents(profileChanged({ ssoId: 'idp|9' }));
  });

  it('is refused as taken if an account has the name', () => {
    ann.when(rename(named('root', 'taken'))).thenRefused('username-taken');
  });

  it('is accepted from an administrator', () => {
    ann.when(update('ann', { name: named('root') })).thenEvents(renamed('ann', 'root'));
    ann.when(update('ann', { name: bea(0) })).thenEvents(renamed('ann', 'bea', 2));
    given(accountDecider)
      .when(register('bea', { name: bea(0) }))
      .thenHolds(`username:${nameHashOf('bea')}:0000000002`);
  });
});

describe('the name of a stand-in', () => {
  const names = [
    'keyfold-nobody-7',
    'Keyfold-Nobody-7',
    ' KEYFOLD-NOBODY-',
    'keyfold-nobody-x\n',
    'ｋｅｙｆｏｌｄ-nobody-1',
  ];

  it.each(names)('%j is refused to users and administrators, whether it is taken or not', (name) => {
    const claims = [named(name), named(name, 'taken')];
    for (const claim of claims) {
      given(accountDecider)
        .when(register(name, { name: claim }))
        .thenRefused('username-of-stand-in');
      const ann = given(accountDecider, registered('ann'));
      ann.when(update('ann', { name: claim })).thenRefused('username-of-stand-in');
      ann.when(changeOwnProfile('ann', { name: claim })).thenRefused('username-of-stand-in');
    }
  });

  it.each(['keyfold-nobody', 'keyfold_nobody-7', 'my-keyfold-nobody-7', 'nobody', 'keyfold'])('is not %j', (name) => {
    expect(isStandInName(name)).toBe(false);
    given(accountDecider)
      .when(register(name))
      .thenHolds(`username:${nameHashOf(name)}:0000000001`);
  });
});
