import { describe, it } from 'vitest';
import { changeOwnProfile, named, register, update } from '../../testing/account.commands.js';
import { profileChanged, registered, renamed } from '../../testing/account.events.js';
import { given } from '../../testing/decider-specification.js';
import { TEXT_BYTES } from '../kernel/bounded-text.js';
import { accountDecider } from './account.decider.js';

const text = (bytes: number) => 'ä'.repeat(bytes / 2);
const path = (bytes: number) => `/${'a'.repeat(bytes - 1)}`;
const [name, longName] = [text(TEXT_BYTES.username), text(TEXT_BYTES.username + 2)];
const [ssoId, longSsoId] = [text(TEXT_BYTES.ssoId), text(TEXT_BYTES.ssoId + 2)];
const [basePath, longBasePath] = [path(TEXT_BYTES.basePath), path(TEXT_BYTES.basePath + 1)];

const ann = given(accountDecider, registered('ann'));

describe('a new account', () => {
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

describe('a changed account', () => {
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
