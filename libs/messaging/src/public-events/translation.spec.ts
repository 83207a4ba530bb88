import { UnknownEvent } from '@keyfold/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, story } from '../../../domain/testing/story.js';
import { problemOfEvent } from '../../testing/event-validation.js';
import { commitOf, goldenEvent, goldenEvents } from '../../testing/golden-commits.js';
import { outgoingMessage } from './outgoing-message.js';
import { definitionOf, publicEventTypes } from './public-events.js';
import { publicEventsOf } from './translation.js';

/** The public type of every stored event ever shipped; undefined: private. A new version of an event needs a row. */
const publicTypes: Readonly<Record<string, string | undefined>> = {
  'AccountRegistered.v1': 'account.registered',
  'ProfileChanged.v1': 'account.changed',
  'PermissionsChanged.v1': 'account.changed',
  'AccountRenamed.v1': 'account.renamed',
  'PasswordChanged.v1': 'account.password-changed',
  'SessionsEvicted.v1': 'account.sessions-evicted',
  'AccountDisabled.v1': 'account.disabled',
  'AccountEnabled.v1': 'account.enabled',
  'AccountDeleted.v1': 'account.deleted',
  'AccountErased.v1': 'account.erased',
  'BackupMade.v1': undefined,
  'OpenListUserLinked.v1': undefined,
  'TwoFactorEnrolmentStarted.v1': undefined,
  'TwoFactorEnabled.v1': 'account.two-factor-enabled',
  'TwoFactorDisabled.v1': 'account.two-factor-disabled',
  'TwoFactorLocked.v1': undefined,
  'TwoFactorUnlocked.v1': undefined,
  'RecoveryCodesGenerated.v1': 'account.recovery-codes-generated',
  'RecoveryCodeUsed.v1': 'account.recovery-code-used',
  'OneTimeCodeUsed.v1': undefined,
  'RecoveryCodesResealed.v1': undefined,
  'PasswordResealed.v1': undefined,
  'TwoFactorSecretResealed.v1': undefined,
  'SshKeyAdded.v1': 'ssh-key.added',
  'SshKeyRemoved.v1': 'ssh-key.removed',
  'SshKeyRenamed.v1': 'ssh-key.renamed',
  'SshKeyExpiryChanged.v1': 'ssh-key.expiry-changed',
  'SshKeyExpired.v1': 'ssh-key.expired',
  'SshKeyUsed.v1': 'ssh-key.used',
  'AccessTokenCreated.v1': 'access-token.created',
  'AccessTokenRevoked.v1': 'access-token.revoked',
  'AppPasswordCreated.v1': 'app-password.created',
  'AppPasswordRevoked.v1': 'app-password.revoked',
  'SessionStarted.v1': 'session.started',
  'SessionEnded.v1': 'session.ended',
  'SettingsChanged.v1': 'site-settings.changed',
  'SecretSettingChanged.v1': 'site-settings.changed',
  'SecretSettingResealed.v1': undefined,
  'SettingDeleted.v1': 'site-settings.changed',
  'StaticTokenReset.v1': 'site-settings.changed',
  'StaticTokenResealed.v1': undefined,
};
/** Stored events whose public event has the sample of another one. */
const withOtherSample = [
  'PermissionsChanged.v1',
  'StaticTokenReset.v1',
  'SecretSettingChanged.v1',
  'SettingDeleted.v1',
];

describe('a stored event', () => {
  it('is public or private in every version ever shipped', () => {
    expect([...goldenEvents.keys()].toSorted()).toEqual(Object.keys(publicTypes).toSorted());
    expect(new Set(Object.values(publicTypes).filter((type) => type !== undefined))).toEqual(new Set(publicEventTypes));
  });

  it.each(Object.keys(publicTypes).filter((name) => !withOtherSample.includes(name)))(
    '%s is published as in the sample, or not at all',
    (name) => {
      const events = publicEventsOf(commitOf([goldenEvent(name)]));
      const expected = publicEventTypes
        .filter((type) => type === publicTypes[name])
        .map((type) => ({ type, stream: definitionOf(type).sample.stream, data: definitionOf(type).sample.data }));
      expect(events.map(({ type, stream, data }) => ({ type, stream, data }))).toStrictEqual(expected);
    },
  );

  it('of every version is published with the account id in data and partition, except for settings, and for erasures in the data only', () => {
    for (const [name, type] of Object.entries(publicTypes)) {
      const about = type === 'site-settings.changed' ? undefined : 42;
      for (const { partition, data } of publicEventsOf(commitOf([goldenEvent(name)]))) {
        expect([name, 'accountId' in data ? data.accountId : undefined]).toEqual([name, about]);
        if (about) expect(partition, name).toBe(type === 'account.erased' ? 'erasures' : '42');
      }
    }
  });

  it('that adds a key with an expiry publishes one event, which contains the expiry', () => {
    const [added, expiry] = [goldenEvent('SshKeyAdded.v1'), goldenEvent('SshKeyExpiryChanged.v1')];
    const events = publicEventsOf(commitOf([added, expiry]));
    expect(events).toMatchObject([{ type: 'ssh-key.added', data: { expires: '2026-02-15T12:00:00.000Z' } }]);
  });

  it('that clears the expiry of a key publishes no time', () => {
    const cleared = { type: 'SshKeyExpiryChanged', v: 1, data: { keyId: 44040193, expiresAt: null } };
    const [event] = publicEventsOf(commitOf([cleared]));
    expect(event).toMatchObject({ type: 'ssh-key.expiry-changed', data: { accountId: 42, keyId: 44040193 } });
    expect(event?.data).not.toHaveProperty('expires');
  });

  it('that changes permissions, one secret setting or the static token publishes only that', () => {
    const dataOf = (name: string) => publicEventsOf(commitOf([goldenEvent(name)])).map(({ data }) => data);
    expect(dataOf('PermissionsChanged.v1')).toStrictEqual([{ accountId: 42, permission: 29183 }]);
    expect(dataOf('StaticTokenReset.v1')).toStrictEqual([{ keys: ['token'] }]);
    for (const name of ['SecretSettingChanged.v1', 'SettingDeleted.v1'])
      expect(dataOf(name)).toStrictEqual([{ keys: ['ldap_manager_password'] }]);
  });

  it('that changes only the single sign-on identity is private', () => {
    const commit = commitOf([{ type: 'ProfileChanged', v: 1, data: { ssoId: 'idp|4711', allowLdap: true } }]);
    expect(publicEventsOf(commit)).toEqual([]);
  });

  it.each([
    ['type', { type: 'MoonLanded', v: 1, data: {} }],
    ['version', { ...goldenEvent('SshKeyAdded.v1'), v: 2 }],
  ])('of an unknown %s fails the translation of its commit', (_, stored) => {
    expect(() => publicEventsOf(commitOf([goldenEvent('SshKeyAdded.v1'), stored]))).toThrow(UnknownEvent);
  });

  it('of an account in a foreign stream fails the translation', () => {
    const commit = commitOf([goldenEvent('AccountDisabled.v1')], { partition: 'site-settings' });
    expect(() => publicEventsOf(commit)).toThrow('belongs to no account');
  });
});

describe('a commit of an import', () => {
  const registered = [goldenEvent('AccountRegistered.v1')];

  it('names the service in the event of a new account', () => {
    const [event] = publicEventsOf(commitOf(registered, { actor: 'import', causation: 'import:openlist:7' }));
    expect(event).toMatchObject({ causation: 'import:openlist:7', data: { importedFrom: 'openlist' } });
  });

  it('publishes nothing if it is silent, unless somebody else chose its causation', () => {
    const causation = 'import:openlist:7:silent';
    expect(publicEventsOf(commitOf(registered, { actor: 'import', causation }))).toEqual([]);
    const [event] = publicEventsOf(commitOf(registered, { actor: 'service:shop', causation }));
    expect(event?.data).not.toHaveProperty('importedFrom');
  });
});

describe('a commit', () => {
  it('that fills a hole in the feed publishes nothing', () => {
    expect(publicEventsOf(commitOf([], { stream: 'void-7', partition: 'void-7' }))).toEqual([]);
  });

  it('publishes its events in order, with their index in the id', () => {
    const names = ['PasswordChanged.v1', 'TwoFactorLocked.v1', 'PermissionsChanged.v1'];
    const commit = commitOf(names.map(goldenEvent), { causation: 'message-1', traceparent: '00-1-2-01' });
    const context = { partition: '42', stream: 'account-42', streamVersion: 3, at: Date.UTC(2026, 0, 15, 12) };
    const cause = { correlation: 'request-1', causation: 'message-1', traceparent: '00-1-2-01' };
    expect(publicEventsOf(commit)).toStrictEqual([
      { id: 'account-42:3:0', ...context, ...cause, type: 'account.password-changed', data: { accountId: 42 } },
      {
        id: 'account-42:3:2',
        ...context,
        ...cause,
        type: 'account.changed',
        data: { accountId: 42, permission: 29183 },
      },
    ]);
  });
});

describe('in arbitrary histories', () => {
  it('events match their schemas without additional fields and have unique ids', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(story, (each) => {
        const events = play(each).log.flatMap(({ stream, version, events: stored }) =>
          publicEventsOf(commitOf(stored, { stream, version, partition: '3' })),
        );
        for (const { type, data } of events) {
          seen.add(type);
          expect(problemOfEvent(type, data), type).toBeUndefined();
        }
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      }),
      { numRuns: 1_500 },
    );
    // The stories contain no settings and no erasures, and few spend a recovery code. Each other type is in more than twenty of them.
    const rare = ['site-settings.changed', 'account.erased', 'account.recovery-code-used'];
    expect(publicEventTypes.filter((type) => !seen.has(type) && !rare.includes(type))).toEqual([]);
  });

  it('messages contain no sealed value, no value of a setting and no actor', () => {
    const secret = fc.stringMatching(/^[a-z]{4}[A-Za-z0-9_-]{16,60}$/);
    const stored = fc.constantFrom(...goldenEvents.values());
    fc.assert(
      fc.property(fc.array(fc.tuple(stored, secret), { minLength: 1, maxLength: 6 }), secret, (parts, actor) => {
        for (const [event, value] of parts) {
          const sealed = { passwordHash: value, secret: value, token: value, value };
          const data = event.type === 'SettingsChanged' ? settingsWith(value) : event.data;
          const commit = commitOf([{ ...event, data, sealed }], { actor, session: actor, holds: [value] });
          for (const { headers, body } of publicEventsOf(commit).map(outgoingMessage)) {
            const bytes = `${JSON.stringify(headers)}${body.toString()}`;
            expect([value, actor].filter((each) => bytes.includes(each))).toEqual([]);
          }
        }
      }),
    );
  });
});

const settingsWith = (value: string) => ({ changes: { site_title: { from: value, to: value } } });
