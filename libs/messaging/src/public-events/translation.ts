import { importOf, sessionAggregate, storedUpcasters, upcast, type CurrentEvent } from '@keyfold/domain';
import type { NewCommit } from '@keyfold/event-store';
import type { OutgoingMessage } from '../publishing.js';
import { outgoingMessage } from './outgoing-message.js';
import type { PublicEvent, PublicEventData, PublicEventType } from './public-events.js';

type TypedData = { [Type in PublicEventType]: Readonly<{ type: Type; data: PublicEventData<Type> }> }[PublicEventType];
type DataOf<Type extends CurrentEvent['type']> = Extract<CurrentEvent, { type: Type }>['data'];
/** Receives only the data of a stored event, so sealed values cannot leak. */
type Translate<Type extends CurrentEvent['type']> = (data: DataOf<Type>, commit: NewCommit) => TypedData | undefined;

const notPublic = (): undefined => undefined;
/** Names only, because the values may be secret. */
const settingsChanged = (keys: string[]) => ({ type: 'site-settings.changed', data: { keys } }) as const;

/** Returns an event of the account that the commit belongs to. */
const ofAccount = <Type extends PublicEventType>(
  type: Type,
  commit: NewCommit,
  data: Omit<PublicEventData<Type>, 'accountId'>,
) => ({ type, data: { accountId: accountOf(commit), ...data } }) as unknown as TypedData;

/** Translates each stored event. The compiler requires a row for every type. */
const translations: { readonly [Type in CurrentEvent['type']]: Translate<Type> } = {
  AccountRegistered: ({ accountId, username, role, basePath, permission, disabled }, commit) => ({
    type: 'account.registered',
    data: { accountId, username, role, basePath, permission, disabled, ...origin(commit) },
  }),
  // The identity at the single sign-on provider and the LDAP permission are private.
  ProfileChanged: ({ basePath }, commit) =>
    basePath === undefined ? undefined : ofAccount('account.changed', commit, { basePath }),
  PermissionsChanged: ({ permission }, commit) => ofAccount('account.changed', commit, { permission }),
  AccountRenamed: ({ username, formerUsername }, commit) =>
    ofAccount('account.renamed', commit, { username, formerUsername }),
  PasswordChanged: (_, commit) => ofAccount('account.password-changed', commit, {}),
  SessionsEvicted: ({ kept }, commit) =>
    ofAccount('account.sessions-evicted', commit, kept === null ? {} : { keptSessionId: kept }),
  AccountDisabled: (_, commit) => ofAccount('account.disabled', commit, {}),
  AccountEnabled: (_, commit) => ofAccount('account.enabled', commit, {}),
  AccountDeleted: ({ username }, commit) => ofAccount('account.deleted', commit, { username }),
  AccountErased: ({ accountId }) => ({ type: 'account.erased', data: { accountId } }),
  BackupMade: notPublic,
  OpenListUserLinked: notPublic,
  TwoFactorEnabled: (_, commit) => ofAccount('account.two-factor-enabled', commit, {}),
  TwoFactorDisabled: (_, commit) => ofAccount('account.two-factor-disabled', commit, {}),
  RecoveryCodesGenerated: (_, commit) => ofAccount('account.recovery-codes-generated', commit, {}),
  RecoveryCodeUsed: ({ left }, commit) => ofAccount('account.recovery-code-used', commit, { left }),
  OneTimeCodeUsed: notPublic,
  RecoveryCodesResealed: notPublic,
  TwoFactorEnrolmentStarted: notPublic,
  TwoFactorLocked: notPublic,
  TwoFactorUnlocked: notPublic,
  PasswordResealed: notPublic,
  TwoFactorSecretResealed: notPublic,
  SshKeyAdded: ({ keyId, title, key: { type, blob, fingerprint, bits }, addedAt }, commit) =>
    ofAccount('ssh-key.added', commit, {
      keyId,
      title,
      type,
      publicKey: `${type} ${blob}`,
      fingerprint,
      bits,
      addedAt: isoTimestamp(addedAt),
      ...initialExpiry(keyId, commit),
    }),
  SshKeyRenamed: ({ keyId, title }, commit) => ofAccount('ssh-key.renamed', commit, { keyId, title }),
  // The event of the addition contains the expiry that a key begins with.
  SshKeyExpiryChanged: ({ keyId, expiresAt }, commit) =>
    addedIn(keyId, commit)
      ? undefined
      : ofAccount('ssh-key.expiry-changed', commit, {
          keyId,
          ...(expiresAt !== null && { expires: isoTimestamp(expiresAt) }),
        }),
  SshKeyExpired: ({ keyId, fingerprint, expiresAt }, commit) =>
    ofAccount('ssh-key.expired', commit, { keyId, fingerprint, expires: isoTimestamp(expiresAt) }),
  SshKeyRemoved: ({ keyId, fingerprint }, commit) => ofAccount('ssh-key.removed', commit, { keyId, fingerprint }),
  SshKeyUsed: ({ keyId, usedAt }, commit) => ofAccount('ssh-key.used', commit, { keyId, usedAt: isoTimestamp(usedAt) }),
  AccessTokenCreated: ({ tokenId, name, scopes, createdAt, expiresAt }, commit) =>
    ofAccount('access-token.created', commit, {
      tokenId,
      name,
      scopes: [...scopes],
      ...lifetime(createdAt, expiresAt),
    }),
  AccessTokenRevoked: ({ tokenId }, commit) => ofAccount('access-token.revoked', commit, { tokenId }),
  AppPasswordCreated: ({ appPasswordId, name, protocol, createdAt, expiresAt }, commit) =>
    ofAccount('app-password.created', commit, {
      appPasswordId,
      name,
      protocol,
      ...lifetime(createdAt, expiresAt),
    }),
  AppPasswordRevoked: ({ appPasswordId }, commit) => ofAccount('app-password.revoked', commit, { appPasswordId }),
  SessionStarted: ({ accountId, sessionId, factors, address, client, startedAt, expiresAt }) => ({
    type: 'session.started',
    data: {
      accountId,
      sessionId,
      factors: [...factors],
      address,
      client,
      startedAt: isoTimestamp(startedAt * 1000),
      expiresAt: isoTimestamp(expiresAt * 1000),
    },
  }),
  SessionEnded: ({ reason }, commit) => ofAccount('session.ended', commit, { sessionId: sessionOf(commit), reason }),
  SettingsChanged: ({ changes }) => settingsChanged(Object.keys(changes)),
  SecretSettingChanged: ({ key }) => settingsChanged([key]),
  SettingDeleted: ({ key }) => settingsChanged([key]),
  StaticTokenReset: () => settingsChanged(['token']),
  StaticTokenResealed: notPublic,
  SecretSettingResealed: notPublic,
};

/**
 * Translates a commit into the messages for other services, in order.
 *
 * @throws UnknownEvent the commit contains an event of a newer version of Keyfold
 * @throws UnsendableMessage a message is too large
 */
export const messagesOf = (commit: NewCommit): OutgoingMessage[] => publicEventsOf(commit).map(outgoingMessage);

/**
 * Translates a commit into public events, in order. Private events and silent imports are left out.
 *
 * @throws UnknownEvent the commit contains an event of a newer version of Keyfold
 */
export function publicEventsOf(commit: NewCommit): PublicEvent[] {
  if (importOf(commit)?.isSilent) return [];
  return commit.events.flatMap((stored, index) => {
    const event = upcast(storedUpcasters, stored) as CurrentEvent;
    const translate = translations[event.type] as Translate<CurrentEvent['type']>;
    const translated = translate(event.data as never, commit);
    return translated ? [{ ...contextOf(commit, index), ...translated }] : [];
  });
}

function contextOf(commit: NewCommit, index: number) {
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

/** The streams of an account, its keys and its sessions share a partition, whose name is the account id. */
function accountOf({ partition, stream }: NewCommit): number {
  const accountId = Number(partition);
  if (!Number.isSafeInteger(accountId) || accountId < 1) throw new Error(`stream ${stream} belongs to no account`);
  return accountId;
}

function sessionOf({ stream }: NewCommit): string {
  if (!stream.startsWith(sessionAggregate.streamPrefix)) throw new Error(`stream ${stream} is not a session`);
  return stream.slice(sessionAggregate.streamPrefix.length);
}

/** Returns the service that the account was imported from, if it was. */
function origin(commit: NewCommit): { importedFrom?: string } {
  const imported = importOf(commit);
  return imported ? { importedFrom: imported.service } : {};
}

/** Returns the events of this type in the commit that concern the key. */
const eventsOfKey = ({ events }: NewCommit, type: CurrentEvent['type'], keyId: number) =>
  events.filter((event) => event.type === type && event.data['keyId'] === keyId);

const addedIn = (keyId: number, commit: NewCommit) => eventsOfKey(commit, 'SshKeyAdded', keyId).length > 0;

/** Returns the expiry that a key was added with, if it has one. */
function initialExpiry(keyId: number, commit: NewCommit): { expires?: string } {
  const [stored] = eventsOfKey(commit, 'SshKeyExpiryChanged', keyId);
  if (!stored) return {};
  const { expiresAt } = upcast(storedUpcasters, stored).data as DataOf<'SshKeyExpiryChanged'>;
  return expiresAt === null ? {} : { expires: isoTimestamp(expiresAt) };
}

const lifetime = (createdAt: number, expiresAt: number | null) => ({
  createdAt: isoTimestamp(createdAt),
  ...(expiresAt !== null && { expiresAt: isoTimestamp(expiresAt) }),
});

/** Converts Unix milliseconds to an ISO 8601 timestamp in UTC. */
const isoTimestamp = (at: number) => new Date(at).toISOString();
