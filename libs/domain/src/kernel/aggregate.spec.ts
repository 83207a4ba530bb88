import { describe, expect, it } from 'vitest';
import { tokenCreated } from '../../testing/access-tokens.events.js';
import { appPasswordCreated } from '../../testing/app-passwords.events.js';
import { registered } from '../../testing/account.events.js';
import { stateAfter } from '../../testing/decider-specification.js';
import { keyAdded, publicKey } from '../../testing/ssh-key-ring.events.js';
import { keyUsed } from '../../testing/ssh-key-use.events.js';
import { accessTokensAggregate } from '../access-tokens/access-tokens.aggregate.js';
import { appPasswordsAggregate } from '../app-passwords/app-passwords.aggregate.js';
import type { AppPasswordsEvent } from '../app-passwords/app-passwords.events.js';
import { accountAggregate } from '../account/account.aggregate.js';
import type { AccessTokensEvent } from '../access-tokens/access-tokens.events.js';
import { sessionAggregate } from '../session/session.aggregate.js';
import { siteSettingsAggregate } from '../site-settings/site-settings.aggregate.js';
import { sshKeyRingAggregate } from '../ssh-key-ring/ssh-key-ring.aggregate.js';
import type { SshKeyRingEvent } from '../ssh-key-ring/ssh-key-ring.events.js';
import { sshKeyUseAggregate } from '../ssh-key-use/ssh-key-use.aggregate.js';

describe('the stream', () => {
  it.each([
    [accountAggregate, accountAggregate.streamOf(7), 'account-7'],
    [sshKeyRingAggregate, sshKeyRingAggregate.streamOf(7), 'ssh-keys-7'],
    [sshKeyUseAggregate, sshKeyUseAggregate.streamOf(7), 'ssh-key-use-7'],
    [accessTokensAggregate, accessTokensAggregate.streamOf(7), 'access-tokens-7'],
    [appPasswordsAggregate, appPasswordsAggregate.streamOf(7), 'app-passwords-7'],
    [sessionAggregate, sessionAggregate.streamOf('b3f1'), 'session-b3f1'],
    [siteSettingsAggregate, siteSettingsAggregate.streamOf('site'), 'site-settings'],
  ])('of $name begins with its prefix and ends with its id', ({ streamPrefix }, stream, expected) => {
    expect(stream).toBe(expected);
    expect(stream.startsWith(streamPrefix)).toBe(true);
  });
});

describe('the weight of a state', () => {
  it('is one for an ordinary account and more for the settings', () => {
    expect(accountAggregate.weightOf(stateAfter(accountAggregate.decider, registered('ann')))).toBe(1);
    expect(sessionAggregate.weightOf(sessionAggregate.decider.initialState)).toBe(1);
    expect(siteSettingsAggregate.weightOf(siteSettingsAggregate.decider.initialState)).toBe(4);
  });

  it('grows with the texts of an account and with the answer that contains them', () => {
    const large = registered('ä'.repeat(2048), { basePath: `/${'a'.repeat(4095)}`, ssoId: 'a'.repeat(1024) });
    expect(accountAggregate.weightOf(stateAfter(accountAggregate.decider, large))).toBe(33);
    const escaped = registered('<'.repeat(682));
    expect(accountAggregate.weightOf(stateAfter(accountAggregate.decider, escaped))).toBe(10);
  });

  it('grows with the keys, their bytes and their uses', () => {
    const ring = (...keys: SshKeyRingEvent[]) => stateAfter(sshKeyRingAggregate.decider, ...keys);
    const commented = { ...publicKey('desk'), comment: 'c'.repeat(15 * 1024) };
    expect(sshKeyRingAggregate.weightOf(ring())).toBe(1);
    expect(sshKeyRingAggregate.weightOf(ring(keyAdded(1, 'laptop'), keyAdded(2, 'phone')))).toBe(5);
    expect(sshKeyRingAggregate.weightOf(ring(keyAdded(1, 'desk', commented)))).toBe(63);
    const uses = Array.from({ length: 21 }, (_, i) => keyUsed(i + 1, 0));
    expect(sshKeyUseAggregate.weightOf(stateAfter(sshKeyUseAggregate.decider, ...uses))).toBe(3);
  });

  it('grows with the access tokens and their names', () => {
    const weightOf = (...events: AccessTokensEvent[]) =>
      accessTokensAggregate.weightOf(stateAfter(accessTokensAggregate.decider, ...events));
    expect(weightOf()).toBe(1);
    expect(weightOf(tokenCreated(1))).toBe(2);
    expect(weightOf(...Array.from({ length: 100 }, (_, n) => tokenCreated(n + 1, { name: `${n}`.padEnd(600) })))).toBe(
      177,
    );
  });

  it('grows with the app passwords and their names', () => {
    const weightOf = (...events: AppPasswordsEvent[]) =>
      appPasswordsAggregate.weightOf(stateAfter(appPasswordsAggregate.decider, ...events));
    expect(weightOf()).toBe(1);
    expect(weightOf(appPasswordCreated(1))).toBe(2);
    const longest = Array.from({ length: 100 }, (_, n) => appPasswordCreated(n + 1, { name: `${n}`.padEnd(600) }));
    expect(weightOf(...longest)).toBe(168);
  });
});
