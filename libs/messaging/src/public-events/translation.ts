import { sessionAggregate, upcast } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import type { PublicEvent } from './public-event.js';
import type { PublicEventData, PublicEventType } from './public-events.js';
import { storedUpcasters, type StoredFact } from './stored-events.js';

/** What is told of a stored event: type and data. */
type Told = { [Type in PublicEventType]: Readonly<{ type: Type; data: PublicEventData<Type> }> }[PublicEventType];
type DataOf<Type extends StoredFact['type']> = Extract<StoredFact, { type: Type }>['data'];
/** Sees the data only: what is sealed cannot be told. */
type Translate<Type extends StoredFact['type']> = (data: DataOf<Type>, commit: Commit) => Told | undefined;

const notTold = (): undefined => undefined;

/** What each stored event is to others. The compiler asks for a row for every type that can be stored. */
const translations: { readonly [Type in StoredFact['type']]: Translate<Type> } = {
  AccountRegistered: ({ accountId, username, role, basePath, permission, disabled }) => ({
    type: 'account.registered',
    data: { accountId, username, role, basePath, permission, disabled },
  }),
  ProfileChanged: ({ basePath }, commit) =>
    // Which person it is at a provider of identities, and how it may log in there, is nobody else's matter.
    basePath === undefined ? undefined : { type: 'account.changed', data: { accountId: accountOf(commit), basePath } },
  PermissionsChanged: ({ permission }, commit) => ({
    type: 'account.changed',
    data: { accountId: accountOf(commit), permission },
  }),
  AccountRenamed: ({ username, formerUsername }, commit) => ({
    type: 'account.renamed',
    data: { accountId: accountOf(commit), username, formerUsername },
  }),
  PasswordChanged: (_, commit) => ({ type: 'account.password-changed', data: { accountId: accountOf(commit) } }),
  AccountDisabled: (_, commit) => ({ type: 'account.disabled', data: { accountId: accountOf(commit) } }),
  AccountEnabled: (_, commit) => ({ type: 'account.enabled', data: { accountId: accountOf(commit) } }),
  AccountDeleted: ({ username }, commit) => ({
    type: 'account.deleted',
    data: { accountId: accountOf(commit), username },
  }),
  TwoFactorEnabled: (_, commit) => ({ type: 'account.two-factor-enabled', data: { accountId: accountOf(commit) } }),
  TwoFactorDisabled: (_, commit) => ({ type: 'account.two-factor-disabled', data: { accountId: accountOf(commit) } }),
  TwoFactorEnrolmentStarted: notTold,
  TwoFactorLocked: notTold,
  PasswordResealed: notTold,
  TwoFactorSecretResealed: notTold,
  SshKeyAdded: ({ keyId, title, key: { type, blob, fingerprint, bits }, addedAt }, commit) => ({
    type: 'ssh-key.added',
    data: {
      accountId: accountOf(commit),
      keyId,
      title,
      type,
      publicKey: `${type} ${blob}`,
      fingerprint,
      bits,
      addedAt: inWords(addedAt),
    },
  }),
  SshKeyRemoved: ({ keyId, fingerprint }, commit) => ({
    type: 'ssh-key.removed',
    data: { accountId: accountOf(commit), keyId, fingerprint },
  }),
  SshKeyUsed: ({ keyId, usedAt }, commit) => ({
    type: 'ssh-key.used',
    data: { accountId: accountOf(commit), keyId, usedAt: inWords(usedAt) },
  }),
  SessionStarted: ({ accountId, sessionId, factors, address, client, startedAt, expiresAt }) => ({
    type: 'session.started',
    data: {
      accountId,
      sessionId,
      factors: [...factors],
      address,
      client,
      startedAt: inWords(startedAt * 1000),
      expiresAt: inWords(expiresAt * 1000),
    },
  }),
  SessionEnded: ({ reason }, commit) => ({
    type: 'session.ended',
    data: { accountId: accountOf(commit), sessionId: sessionOf(commit), reason },
  }),
  SettingsChanged: ({ values }) => ({ type: 'site-settings.changed', data: { keys: Object.keys(values) } }),
  ApiTokenReset: () => ({ type: 'site-settings.changed', data: { keys: ['token'] } }),
  ApiTokenResealed: notTold,
};

/**
 * What other services are told of a commit, in its order; nothing of events that are not public.
 *
 * @throws UnknownEvent the commit has an event that a newer version of the program wrote
 */
export function publicEventsOf(commit: Commit): PublicEvent[] {
  return commit.events.flatMap((stored, index) => {
    const event = upcast(storedUpcasters, stored) as StoredFact;
    const translate = translations[event.type] as Translate<StoredFact['type']>;
    const told = translate(event.data as never, commit);
    return told ? [{ ...contextOf(commit, index), ...told }] : [];
  });
}

function contextOf(commit: Commit, index: number) {
  const { stream, version, at, partition, correlation, clientCorrelation, causation, traceparent } = commit;
  return {
    id: `${stream}:${version}:${index}`,
    at,
    partition,
    stream,
    streamVersion: version,
    correlation,
    ...(clientCorrelation !== undefined && { clientCorrelation }),
    ...(causation !== undefined && { causation }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** The streams of an account, its keys and its sessions are of one partition, named after its id. */
function accountOf({ partition, stream }: Commit): number {
  const accountId = Number(partition);
  if (!Number.isSafeInteger(accountId) || accountId < 1) throw new Error(`stream ${stream} belongs to no account`);
  return accountId;
}

function sessionOf({ stream }: Commit): string {
  if (!stream.startsWith(sessionAggregate.streamPrefix)) throw new Error(`stream ${stream} is no session`);
  return stream.slice(sessionAggregate.streamPrefix.length);
}

/** Unix milliseconds as ISO 8601 in UTC. */
const inWords = (at: number) => new Date(at).toISOString();
