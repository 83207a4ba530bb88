import { describe, expect, it } from 'vitest';
import { MINUTE, NOON } from '../../testing/account.events.js';
import { given, stateAfter } from '../../testing/decider-specification.js';
import {
  appPasswordCreated,
  appPasswordRevoked,
  createAppPassword,
  createToken,
  revokeAllAppPasswords,
  revokeAllTokens,
  revokeAppPassword,
  revokeToken,
  tokenCreated,
  tokenRevoked,
} from '../../testing/named-secrets.events.js';
import type { Aggregate } from '../kernel/aggregate.js';
import { TEXT_BYTES } from '../kernel/bounded-text.js';
import type { Hold } from '../kernel/decider.js';
import type { DomainEvent } from '../kernel/event.js';
import { fileProtocols } from '../kernel/file-protocols.js';
import { LAST_NUMBER } from '../kernel/numbered-ids.js';
import { accessTokenScopes, accessTokensAggregate, grantsScope, isAdminScope } from './access-tokens.js';
import { appPasswordProtocols, appPasswordsAggregate, grantsProtocol } from './app-passwords.js';
import {
  isSecretExpired,
  SECRET_LIFETIME,
  SECRETS_PER_ACCOUNT,
  type NamedSecret,
  type NamedSecrets,
} from './named-secrets.js';

describeKind('access-token', accessTokensAggregate, {
  created: tokenCreated,
  revoked: tokenRevoked,
  create: createToken,
  revoke: revokeToken,
  revokeAll: revokeAllTokens,
});
describeKind('app-password', appPasswordsAggregate, {
  created: appPasswordCreated,
  revoked: appPasswordRevoked,
  create: createAppPassword,
  revoke: revokeAppPassword,
  revokeAll: revokeAllAppPasswords,
});

type Differing = Readonly<{ name?: string; createdAt?: number; expiresAt?: number | null; hash?: string }>;

/** Describes one kind of secret, with the functions that make its events and commands. */
function describeKind<State extends NamedSecrets<NamedSecret>, Command, Event extends DomainEvent>(
  code: 'access-token' | 'app-password',
  { decider }: Aggregate<number, State, Command, Event>,
  {
    created,
    revoked,
    create,
    revoke,
    revokeAll,
  }: Readonly<{
    created: (n: number, differing?: Differing) => Event;
    revoked: (n: number) => Event;
    create: (name: string, differing?: Readonly<{ expiresAt?: number; usedCode?: Hold }>) => Command;
    revoke: (n: number) => Command;
    revokeAll: Command;
  }>,
) {
  const named = (n: number, name: string, differing: Differing = {}) =>
    created(n, { name, hash: `hash of ${name}`, ...differing });
  const expired = (n: number, minutesAgo = 1, name = `secret ${n}`) =>
    created(n, { name, createdAt: NOON - 60 * MINUTE, expiresAt: NOON - minutesAgo * MINUTE });
  const full = Array.from({ length: SECRETS_PER_ACCOUNT }, (_, index) => created(index + 1));
  const namesAfter = (...events: readonly Event[]) => stateAfter(decider, ...events).secrets.map(({ name }) => name);

  describe(`creating an ${code}`, () => {
    it('uses the first id of the account, and never an id again', () => {
      given(decider).when(create('backup')).thenEvents(named(1, 'backup')).thenHolds();
      given(decider, created(1), revoked(1)).when(create('backup')).thenEvents(named(2, 'backup'));
    });

    it('takes the hold of the one-time code that proved the owner', () => {
      const usedCode = { key: 'otp:7:1:99', takenError: 'one-time-code-invalid' } as const;
      given(decider)
        .when(create('backup', { usedCode }))
        .thenEvents(named(1, 'backup'))
        .thenHolds('otp:7:1:99')
        .thenTakenRefusal('one-time-code-invalid');
    });

    it('is refused with the name of another one, compared exactly', () => {
      const backup = named(1, 'backup');
      given(decider, backup).when(create('backup')).thenRefused(`${code}-name-taken`);
      given(decider, backup, revoked(1)).when(create('backup')).thenEvents(named(2, 'backup'));
      given(decider, backup).when(create('Backup')).thenEvents(named(2, 'Backup'));
    });

    it.each([
      ['now', NOON],
      ['in the past', NOON - 1],
      ['more than ten years away', NOON + SECRET_LIFETIME + 1],
    ])('is refused with an expiry %s', (_, expiresAt) => {
      given(decider).when(create('backup', { expiresAt })).thenRefused(`${code}-expiry-invalid`);
    });

    it.each([NOON + 1, NOON + SECRET_LIFETIME])('accepts an expiry at %i', (expiresAt) => {
      given(decider)
        .when(create('backup', { expiresAt }))
        .thenEvents(named(1, 'backup', { expiresAt }));
    });

    it('is refused with a name of more than 600 bytes of JSON, even if it has few characters', () => {
      const longest = '<'.repeat(TEXT_BYTES.secretName / 6);
      given(decider)
        .when(create(`${longest}a`))
        .thenRefused(`${code}-name-too-long`);
      given(decider).when(create(longest)).thenEvents(named(1, longest));
    });

    it('is refused for the 101st that has not expired', () => {
      given(decider, ...full)
        .when(create('one more'))
        .thenRefused(`${code}-limit-reached`);
      given(decider, ...full, revoked(3))
        .when(create('one more'))
        .thenEvents(named(101, 'one more'));
    });

    it('is refused when the account has used up its numbers', () => {
      const state = { ...decider.initialState, secretsEver: LAST_NUMBER };
      expect(() => decider.decide(state, create('backup'))).toThrow(`${code}-limit-reached`);
    });

    it('reports the first of several reasons: length, expiry, name, limit', () => {
      const past = { expiresAt: NOON };
      given(decider, ...full)
        .when(create('a'.repeat(601), past))
        .thenRefused(`${code}-name-too-long`);
      given(decider, ...full)
        .when(create('secret 1', past))
        .thenRefused(`${code}-expiry-invalid`);
      given(decider, ...full)
        .when(create('secret 1'))
        .thenRefused(`${code}-name-taken`);
    });
  });

  describe(`an expired ${code}`, () => {
    it('stays in the list while the list is not full', () => {
      expect(namesAfter(expired(1), created(2))).toEqual(['secret 1', 'secret 2']);
    });

    it('gives way to a new one with its name', () => {
      given(decider, expired(1, 1, 'backup'))
        .when(create('backup'))
        .thenEvents(named(2, 'backup'));
      const { secrets } = stateAfter(decider, expired(1, 1, 'backup'), named(2, 'backup'));
      expect(secrets.map(({ hash }) => hash)).toEqual(['hash of backup']);
    });

    it('gives way to a new one when the list is full, the first to expire first', () => {
      const twoExpired = [expired(1, 1), expired(2, 2), ...full.slice(2)];
      given(decider, ...twoExpired)
        .when(create('secret 101'))
        .thenEvents(named(101, 'secret 101'));
      expect(namesAfter(...twoExpired, created(101))).toContain('secret 1');
      expect(namesAfter(...twoExpired, created(101))).not.toContain('secret 2');
      const names = namesAfter(...twoExpired, created(101), created(102));
      expect(names).toHaveLength(SECRETS_PER_ACCOUNT);
      expect(names).not.toContain('secret 1');
    });
  });

  describe(`revoking an ${code}`, () => {
    it('is possible before and after its expiry', () => {
      given(decider, created(1)).when(revoke(1)).thenEvents(revoked(1)).thenHolds();
      given(decider, expired(1)).when(revoke(1)).thenEvents(revoked(1));
    });

    it.each([
      ['never existed', [created(1)], 2],
      ['was revoked', [created(1), revoked(1)], 1],
    ])('is refused for one that %s', (_, events, n) => {
      given(decider, ...events)
        .when(revoke(n))
        .thenRefused(`${code}-not-found`);
    });
  });

  describe(`revoking every ${code}`, () => {
    it('revokes each, also expired ones, and does nothing the second time', () => {
      const history = [expired(1), created(2), created(3), revoked(2)];
      given(decider, ...history)
        .when(revokeAll)
        .thenEvents(revoked(1), revoked(3))
        .thenHolds();
      given(decider, ...history, revoked(1), revoked(3))
        .when(revokeAll)
        .thenNothing();
    });
  });
}

it('a secret has expired from the very millisecond of its expiry', () => {
  expect(isSecretExpired({ expiresAt: NOON }, NOON - 1)).toBe(false);
  expect(isSecretExpired({ expiresAt: NOON }, NOON)).toBe(true);
  expect(isSecretExpired({ expiresAt: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
});

describe('a scope', () => {
  it('is stored in a fixed order, each once', () => {
    given(accessTokensAggregate.decider)
      .when(createToken('backup', { scopes: ['settings:read', 'profile:read', 'settings:read'] }))
      .thenEvents(
        tokenCreated(1, { name: 'backup', hash: 'hash of backup', scopes: ['profile:read', 'settings:read'] }),
      );
  });

  it('grants itself and nothing else, except that managing accounts includes reading them', () => {
    const granted = accessTokenScopes.flatMap((scope) =>
      accessTokenScopes.filter((wanted) => grantsScope([scope], wanted)).map((wanted) => `${scope} ${wanted}`),
    );
    expect(granted.toSorted()).toEqual(
      [...accessTokenScopes.map((scope) => `${scope} ${scope}`), 'accounts:manage accounts:read'].toSorted(),
    );
    expect(accessTokenScopes.filter((wanted) => grantsScope([], wanted))).toEqual([]);
  });

  it('is for administrators unless it concerns the own account only', () => {
    expect(accessTokenScopes.filter((scope) => !isAdminScope(scope))).toEqual([
      'profile:read',
      'activity:read',
      'keys:manage',
      'files',
    ]);
  });
});

describe('the protocol of an app password', () => {
  it('is stored, and does not make its name another one', () => {
    given(appPasswordsAggregate.decider)
      .when(createAppPassword('phone', { protocol: 'any' }))
      .thenEvents(appPasswordCreated(1, { name: 'phone', hash: 'hash of phone', protocol: 'any' }));
    given(appPasswordsAggregate.decider, appPasswordCreated(1, { name: 'phone' }))
      .when(createAppPassword('phone', { protocol: 'ftp' }))
      .thenRefused('app-password-name-taken');
  });

  it('opens itself, or every one of file servers', () => {
    const opened = appPasswordProtocols.map((granted) =>
      ([...fileProtocols, 'web'] as const).filter((wanted) => grantsProtocol(granted, wanted)),
    );
    expect(opened).toEqual([['sftp'], ['webdav'], ['ftp'], [...fileProtocols], ['web']]);
  });
});
