import { describe, expect, it } from 'vitest';
import { MINUTE, NOON } from '../../testing/account.events.js';
import {
  appPasswordCreated,
  appPasswordRevoked,
  createAppPassword,
  revokeAppPassword,
} from '../../testing/app-passwords.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { TEXT_BYTES } from '../kernel/bounded-text.js';
import { fileProtocols } from '../kernel/file-protocols.js';
import { SECRET_LIFETIME, SECRETS_PER_ACCOUNT } from '../kernel/named-secrets.js';
import { LAST_APP_PASSWORD_NUMBER } from './app-password-id.js';
import { appPasswordProtocols, grantsProtocol } from './app-password-protocols.js';
import { appPasswordsDecider } from './app-passwords.decider.js';

const phone = (n: number) => appPasswordCreated(n, { name: 'phone', hash: 'hash of phone' });
const full = Array.from({ length: SECRETS_PER_ACCOUNT }, (_, index) => appPasswordCreated(index + 1));
const expired = (n: number, name = `app ${n}`) =>
  appPasswordCreated(n, { name, createdAt: NOON - 60 * MINUTE, expiresAt: NOON - n * MINUTE });

describe('CreateAppPassword', () => {
  it('creates an app password with the first id of the account', () => {
    given(appPasswordsDecider).when(createAppPassword('phone')).thenEvents(phone(1)).thenHolds();
  });

  it('never uses an id again', () => {
    given(appPasswordsDecider, appPasswordCreated(1), appPasswordRevoked(1))
      .when(createAppPassword('phone'))
      .thenEvents(phone(2));
  });

  it.each(appPasswordProtocols)('limits it to %s', (protocol) => {
    given(appPasswordsDecider)
      .when(createAppPassword('phone', { protocol }))
      .thenEvents(appPasswordCreated(1, { name: 'phone', hash: 'hash of phone', protocol }));
  });

  it('is refused with the name of another app password, compared exactly, whatever its protocol', () => {
    given(appPasswordsDecider, phone(1))
      .when(createAppPassword('phone', { protocol: 'ftp' }))
      .thenRefused('app-password-name-taken');
    given(appPasswordsDecider, phone(1))
      .when(createAppPassword('Phone'))
      .thenEvents(appPasswordCreated(2, { name: 'Phone', hash: 'hash of Phone' }));
    given(appPasswordsDecider, phone(1), appPasswordRevoked(1)).when(createAppPassword('phone')).thenEvents(phone(2));
  });

  it.each([
    ['now', NOON],
    ['in the past', NOON - 1],
    ['more than ten years away', NOON + SECRET_LIFETIME + 1],
  ])('is refused with an expiry %s', (_, expiresAt) => {
    given(appPasswordsDecider)
      .when(createAppPassword('phone', { expiresAt }))
      .thenRefused('app-password-expiry-invalid');
  });

  it.each([NOON + 1, NOON + SECRET_LIFETIME])('accepts an expiry at %i', (expiresAt) => {
    given(appPasswordsDecider)
      .when(createAppPassword('phone', { expiresAt }))
      .thenEvents(appPasswordCreated(1, { name: 'phone', hash: 'hash of phone', expiresAt }));
  });

  it('is refused with a name of more than 600 bytes of JSON, even if it has few characters', () => {
    const longest = '<'.repeat(TEXT_BYTES.secretName / 6);
    given(appPasswordsDecider)
      .when(createAppPassword(`${longest}a`))
      .thenRefused('app-password-name-too-long');
    given(appPasswordsDecider)
      .when(createAppPassword(longest))
      .thenEvents(appPasswordCreated(1, { name: longest, hash: `hash of ${longest}` }));
  });

  it('is refused for the 101st app password that has not expired', () => {
    given(appPasswordsDecider, ...full)
      .when(createAppPassword('phone'))
      .thenRefused('app-password-limit-reached');
    given(appPasswordsDecider, ...full, appPasswordRevoked(3))
      .when(createAppPassword('phone'))
      .thenEvents(phone(101));
  });

  it('is refused when the account has used up its numbers', () => {
    const state = { passwords: [], passwordsEver: LAST_APP_PASSWORD_NUMBER };
    expect(() => appPasswordsDecider.decide(state, createAppPassword('phone'))).toThrow('app-password-limit-reached');
  });

  it('reports the first of several reasons: length, expiry, name, limit', () => {
    const past = { expiresAt: NOON };
    given(appPasswordsDecider, ...full)
      .when(createAppPassword('a'.repeat(601), past))
      .thenRefused('app-password-name-too-long');
    given(appPasswordsDecider, ...full)
      .when(createAppPassword('app 1', past))
      .thenRefused('app-password-expiry-invalid');
    given(appPasswordsDecider, ...full)
      .when(createAppPassword('app 1'))
      .thenRefused('app-password-name-taken');
  });
});

describe('an expired app password', () => {
  it('gives way to a new one with its name', () => {
    given(appPasswordsDecider, expired(1, 'phone')).when(createAppPassword('phone')).thenEvents(phone(2));
    expect(stateAfter(appPasswordsDecider, expired(1, 'phone'), phone(2)).passwords).toEqual([phone(2).data]);
  });

  it('gives way to a new one when the list is full, the first to expire first', () => {
    const events = [expired(1), expired(2), ...full.slice(2)];
    given(appPasswordsDecider, ...events)
      .when(createAppPassword('phone'))
      .thenEvents(phone(101));
    const names = stateAfter(appPasswordsDecider, ...events, phone(101)).passwords.map(({ name }) => name);
    expect(names).toHaveLength(SECRETS_PER_ACCOUNT);
    expect(names).not.toContain('app 2');
    expect(names).toContain('app 1');
  });
});

describe('RevokeAppPassword', () => {
  it('revokes an app password, also an expired one', () => {
    given(appPasswordsDecider, appPasswordCreated(1))
      .when(revokeAppPassword(1))
      .thenEvents(appPasswordRevoked(1))
      .thenHolds();
    given(appPasswordsDecider, expired(1)).when(revokeAppPassword(1)).thenEvents(appPasswordRevoked(1));
  });

  it.each([
    ['never existed', [appPasswordCreated(1)], 2],
    ['was revoked', [appPasswordCreated(1), appPasswordRevoked(1)], 1],
  ])('is refused for one that %s', (_, events, n) => {
    given(appPasswordsDecider, ...events)
      .when(revokeAppPassword(n))
      .thenRefused('app-password-not-found');
  });
});

it('an app password opens its own protocol, or every one', () => {
  const opened = appPasswordProtocols.map((granted) =>
    fileProtocols.filter((wanted) => grantsProtocol(granted, wanted)),
  );
  expect(opened).toEqual([['sftp'], ['webdav'], ['ftp'], [...fileProtocols]]);
});
