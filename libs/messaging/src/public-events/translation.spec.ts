import { UnknownEvent } from '@keyfold/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, story } from '../../../domain/testing/story.js';
import { problemOfEvent } from '../../testing/event-validation.js';
import { commitOf, goldenEvent, goldenEvents } from '../../testing/golden-commits.js';
import { outgoingMessage } from './outgoing-message.js';
import { definitionOf, publicEventTypes } from './public-events.js';
import { publicEventsOf } from './translation.js';

/** What each stored event that was ever shipped is to others; a new version of one gets its row. */
const told: Readonly<Record<string, string | undefined>> = {
  'AccountRegistered.v1': 'account.registered',
  'ProfileChanged.v1': 'account.changed',
  'PermissionsChanged.v1': 'account.changed',
  'AccountRenamed.v1': 'account.renamed',
  'PasswordChanged.v1': 'account.password-changed',
  'AccountDisabled.v1': 'account.disabled',
  'AccountEnabled.v1': 'account.enabled',
  'AccountDeleted.v1': 'account.deleted',
  'TwoFactorEnrolmentStarted.v1': undefined,
  'TwoFactorEnabled.v1': 'account.two-factor-enabled',
  'TwoFactorDisabled.v1': 'account.two-factor-disabled',
  'TwoFactorLocked.v1': undefined,
  'PasswordResealed.v1': undefined,
  'TwoFactorSecretResealed.v1': undefined,
  'SshKeyAdded.v1': 'ssh-key.added',
  'SshKeyRemoved.v1': 'ssh-key.removed',
  'SshKeyUsed.v1': 'ssh-key.used',
  'SessionStarted.v1': 'session.started',
  'SessionEnded.v1': 'session.ended',
  'SettingsChanged.v1': 'site-settings.changed',
  'ApiTokenReset.v1': 'site-settings.changed',
  'ApiTokenResealed.v1': undefined,
};
/** Types of which the sample is what another stored event gives. */
const notTheSample = ['PermissionsChanged.v1', 'ApiTokenReset.v1'];

describe('a stored event', () => {
  it('of every version ever shipped is told, or is known not to be', () => {
    expect([...goldenEvents.keys()].toSorted()).toEqual(Object.keys(told).toSorted());
    expect(new Set(Object.values(told).filter((type) => type !== undefined))).toEqual(new Set(publicEventTypes));
  });

  it.each(Object.keys(told).filter((name) => !notTheSample.includes(name)))(
    '%s is told as the sample shows, or not at all',
    (name) => {
      const events = publicEventsOf(commitOf([goldenEvent(name)]));
      const expected = publicEventTypes
        .filter((type) => type === told[name])
        .map((type) => ({ type, stream: definitionOf(type).sample.stream, data: definitionOf(type).sample.data }));
      expect(events.map(({ type, stream, data }) => ({ type, stream, data }))).toStrictEqual(expected);
    },
  );

  it('of every version tells the id of its account, in its data and as its partition; only settings have none', () => {
    for (const [name, type] of Object.entries(told)) {
      const about = type === 'site-settings.changed' ? undefined : 42;
      for (const { partition, data } of publicEventsOf(commitOf([goldenEvent(name)]))) {
        expect([name, 'accountId' in data ? data.accountId : undefined]).toEqual([name, about]);
        if (about) expect(partition, name).toBe('42');
      }
    }
  });

  it('that changes rights or makes the static token anew tells its part', () => {
    const tell = (name: string) => publicEventsOf(commitOf([goldenEvent(name)])).map(({ data }) => data);
    expect(tell('PermissionsChanged.v1')).toStrictEqual([{ accountId: 42, permission: 29183 }]);
    expect(tell('ApiTokenReset.v1')).toStrictEqual([{ keys: ['token'] }]);
  });

  it('that changes only how an account is known elsewhere is not told', () => {
    const commit = commitOf([{ type: 'ProfileChanged', v: 1, data: { ssoId: 'idp|4711', allowLdap: true } }]);
    expect(publicEventsOf(commit)).toEqual([]);
  });

  it.each([
    ['type', { type: 'MoonLanded', v: 1, data: {} }],
    ['version', { ...goldenEvent('SshKeyAdded.v1'), v: 2 }],
  ])('of an unknown %s stops the translation of its commit', (_, stored) => {
    expect(() => publicEventsOf(commitOf([goldenEvent('SshKeyAdded.v1'), stored]))).toThrow(UnknownEvent);
  });

  it('of an account in a stream that belongs to none stops the translation', () => {
    const commit = commitOf([goldenEvent('AccountDisabled.v1')], { partition: 'site-settings' });
    expect(() => publicEventsOf(commit)).toThrow('belongs to no account');
  });
});

describe('a commit', () => {
  it('that closes a hole of the feed tells nothing', () => {
    expect(publicEventsOf(commitOf([], { stream: 'void-7', partition: 'void-7' }))).toEqual([]);
  });

  it('tells its events in order, each named after its place', () => {
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

describe('whatever happens', () => {
  it('is told by the schemas and with no field besides, under ids that are unique', () => {
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
      { numRuns: 400 },
    );
    // Stories have no settings, and no base paths that change. All else is in four hundred of them, if not in each hundred.
    expect(publicEventTypes.filter((type) => !seen.has(type))).toEqual(['site-settings.changed']);
  }, 20_000);

  it('no byte of a message is of a sealed value, of a value of a setting, or of who did it', () => {
    const secret = fc.stringMatching(/^[a-z]{4}[A-Za-z0-9_-]{16,60}$/);
    const stored = fc.constantFrom(...goldenEvents.values());
    fc.assert(
      fc.property(fc.array(fc.tuple(stored, secret), { minLength: 1, maxLength: 6 }), secret, (parts, actor) => {
        for (const [event, value] of parts) {
          const sealed = { passwordHash: value, secret: value, token: value };
          const data = event.type === 'SettingsChanged' ? { values: { site_title: value } } : event.data;
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
