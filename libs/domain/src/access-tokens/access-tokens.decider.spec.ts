import { describe, expect, it } from 'vitest';
import { createToken, revokeToken, tokenCreated, tokenRevoked } from '../../testing/access-tokens.events.js';
import { MINUTE, NOON } from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { TEXT_BYTES } from '../kernel/bounded-text.js';
import { isSecretExpired, SECRET_LIFETIME, SECRETS_PER_ACCOUNT } from '../kernel/named-secrets.js';
import { LAST_TOKEN_NUMBER } from './access-token-id.js';
import { accessTokensDecider } from './access-tokens.decider.js';

const namesAfter = (...events: Parameters<typeof stateAfter>[1][]) =>
  stateAfter(accessTokensDecider, ...(events as never[])).tokens.map(({ name }) => name);
const full = Array.from({ length: SECRETS_PER_ACCOUNT }, (_, index) => tokenCreated(index + 1));
const expired = (n: number, expiresAt: number, name = `token ${n}`) =>
  tokenCreated(n, { name, createdAt: NOON - 60 * MINUTE, expiresAt });

describe('CreateAccessToken', () => {
  it('creates a token with the first id of the account', () => {
    given(accessTokensDecider)
      .when(createToken('backup'))
      .thenEvents(tokenCreated(1, { name: 'backup', hash: 'hash of backup' }))
      .thenHolds();
  });

  it('never uses an id again', () => {
    given(accessTokensDecider, tokenCreated(1), tokenRevoked(1))
      .when(createToken('backup'))
      .thenEvents(tokenCreated(2, { name: 'backup', hash: 'hash of backup' }));
  });

  it('stores the scopes in a fixed order, each once', () => {
    given(accessTokensDecider)
      .when(createToken('backup', { scopes: ['settings:read', 'profile:read', 'settings:read'] }))
      .thenEvents(
        tokenCreated(1, { name: 'backup', hash: 'hash of backup', scopes: ['profile:read', 'settings:read'] }),
      );
  });

  it('is refused with the name of another token, compared exactly', () => {
    const backup = tokenCreated(1, { name: 'backup' });
    given(accessTokensDecider, backup).when(createToken('backup')).thenRefused('access-token-name-taken');
    given(accessTokensDecider, backup, tokenRevoked(1))
      .when(createToken('backup'))
      .thenEvents(tokenCreated(2, { name: 'backup', hash: 'hash of backup' }));
    given(accessTokensDecider, backup)
      .when(createToken('Backup'))
      .thenEvents(tokenCreated(2, { name: 'Backup', hash: 'hash of Backup' }));
  });

  it.each([
    ['now', NOON],
    ['in the past', NOON - 1],
    ['more than ten years away', NOON + SECRET_LIFETIME + 1],
  ])('is refused with an expiry %s', (_, expiresAt) => {
    given(accessTokensDecider).when(createToken('backup', { expiresAt })).thenRefused('access-token-expiry-invalid');
  });

  it.each([NOON + 1, NOON + SECRET_LIFETIME])('accepts an expiry at %i', (expiresAt) => {
    given(accessTokensDecider)
      .when(createToken('backup', { expiresAt }))
      .thenEvents(tokenCreated(1, { name: 'backup', hash: 'hash of backup', expiresAt }));
  });

  it('is refused with a name of more than 600 bytes of JSON, even if it has few characters', () => {
    const longest = '<'.repeat(TEXT_BYTES.secretName / 6);
    given(accessTokensDecider)
      .when(createToken(`${longest}a`))
      .thenRefused('access-token-name-too-long');
    given(accessTokensDecider)
      .when(createToken(longest))
      .thenEvents(tokenCreated(1, { name: longest, hash: `hash of ${longest}` }));
  });

  it('is refused for the 101st token that has not expired', () => {
    given(accessTokensDecider, ...full)
      .when(createToken('one more'))
      .thenRefused('access-token-limit-reached');
    given(accessTokensDecider, ...full, tokenRevoked(3))
      .when(createToken('one more'))
      .thenEvents(tokenCreated(101, { name: 'one more', hash: 'hash of one more' }));
  });

  it('is refused when the account has used up its token numbers', () => {
    const { decide } = accessTokensDecider;
    expect(() => decide({ tokens: [], tokensEver: LAST_TOKEN_NUMBER }, createToken('backup'))).toThrow(
      'access-token-limit-reached',
    );
  });

  it('reports the first of several reasons: length, expiry, name, limit', () => {
    const long = 'a'.repeat(601);
    const past = { expiresAt: NOON };
    given(accessTokensDecider, ...full)
      .when(createToken(long, past))
      .thenRefused('access-token-name-too-long');
    given(accessTokensDecider, ...full)
      .when(createToken('token 1', past))
      .thenRefused('access-token-expiry-invalid');
    given(accessTokensDecider, ...full)
      .when(createToken('token 1'))
      .thenRefused('access-token-name-taken');
  });
});

describe('an expired token', () => {
  it('stays in the list while nothing needs its place', () => {
    expect(namesAfter(expired(1, NOON - MINUTE), tokenCreated(2))).toEqual(['token 1', 'token 2']);
  });

  it('gives way to a new token with its name', () => {
    given(accessTokensDecider, expired(1, NOON - MINUTE, 'backup'))
      .when(createToken('backup'))
      .thenEvents(tokenCreated(2, { name: 'backup', hash: 'hash of backup' }));
    const renewed = [expired(1, NOON - MINUTE, 'backup'), tokenCreated(2, { name: 'backup' })];
    expect(stateAfter(accessTokensDecider, ...renewed).tokens).toEqual([renewed[1]!.data]);
  });

  it('gives way to a new token when the list is full, the first to expire first', () => {
    const twoExpired = [expired(1, NOON - MINUTE), expired(2, NOON - 2 * MINUTE), ...full.slice(2)];
    given(accessTokensDecider, ...twoExpired)
      .when(createToken('token 101'))
      .thenEvents(tokenCreated(101, { name: 'token 101', hash: 'hash of token 101' }));
    const names = namesAfter(...twoExpired, tokenCreated(101), tokenCreated(102));
    expect(names).toHaveLength(SECRETS_PER_ACCOUNT);
    expect(names).not.toContain('token 1');
    expect(names).not.toContain('token 2');
    expect(namesAfter(...twoExpired, tokenCreated(101))).toContain('token 1');
  });

  it('has expired from the very millisecond of its expiry', () => {
    expect(isSecretExpired({ expiresAt: NOON }, NOON - 1)).toBe(false);
    expect(isSecretExpired({ expiresAt: NOON }, NOON)).toBe(true);
    expect(isSecretExpired({ expiresAt: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

describe('RevokeAccessToken', () => {
  it('revokes a token, also an expired one', () => {
    given(accessTokensDecider, tokenCreated(1)).when(revokeToken(1)).thenEvents(tokenRevoked(1)).thenHolds();
    given(accessTokensDecider, expired(1, NOON - MINUTE))
      .when(revokeToken(1))
      .thenEvents(tokenRevoked(1));
  });

  it.each([
    ['never existed', [tokenCreated(1)], 2],
    ['was revoked', [tokenCreated(1), tokenRevoked(1)], 1],
  ])('is refused for a token that %s', (_, events, n) => {
    given(accessTokensDecider, ...events)
      .when(revokeToken(n))
      .thenRefused('access-token-not-found');
  });
});
