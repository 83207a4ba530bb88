import type { CurrentEvent } from '@keyfold/domain';
import { isoTime } from '../commands/clock.js';

/** The facts of an activity that are particular to its type, in the spelling of the API. They are never secret. */
export type ActivityDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

type DataOf<Type extends CurrentEvent['type']> = Extract<CurrentEvent, { type: Type }>['data'];
/** Receives only the data of a stored event, so sealed values cannot leak. */
type Row<Type extends CurrentEvent['type']> = Readonly<{
  type: string;
  details?: (data: DataOf<Type>) => ActivityDetails;
}>;

/** Changes nothing that a person can notice. `keyfold events show` still shows it. */
const hidden = undefined;
/** Names only, because the values may be secret. */
const settingsChanged = (keys: readonly string[]) => ({ keys });

/**
 * The activity that stands for each stored event. The compiler requires a row for every type. Types that are public events have the same
 * name here; a type never changes its meaning.
 */
export const activityTypes: { readonly [Type in CurrentEvent['type']]: Row<Type> | undefined } = {
  AccountRegistered: {
    type: 'account.registered',
    details: ({ username, role, basePath, permission, disabled }) => ({
      username,
      role,
      base_path: basePath,
      permission,
      disabled,
    }),
  },
  PasswordChanged: { type: 'account.password-changed' },
  PasswordResealed: hidden,
  SessionsEvicted: { type: 'account.sessions-evicted', details: ({ kept }) => ({ kept_session_id: kept }) },
  ProfileChanged: {
    type: 'account.changed',
    // The identity at the single sign-on provider is named only: it may be the name of the person elsewhere.
    details: ({ basePath, ssoId, allowLdap }) => ({
      fields: [
        ...(basePath === undefined ? [] : ['base_path']),
        ...(ssoId === undefined ? [] : ['sso_id']),
        ...(allowLdap === undefined ? [] : ['allow_ldap']),
      ],
      ...(basePath !== undefined && { base_path: basePath }),
      ...(allowLdap !== undefined && { allow_ldap: allowLdap }),
    }),
  },
  PermissionsChanged: {
    type: 'account.changed',
    details: ({ permission }) => ({ fields: ['permission'], permission }),
  },
  AccountRenamed: {
    type: 'account.renamed',
    details: ({ username, formerUsername }) => ({ username, former_username: formerUsername }),
  },
  AccountDisabled: { type: 'account.disabled' },
  AccountEnabled: { type: 'account.enabled' },
  AccountDeleted: { type: 'account.deleted', details: ({ username }) => ({ username }) },
  TwoFactorEnrolmentStarted: {
    type: 'account.two-factor-enrolment-started',
    details: ({ expiresAt }) => ({ expires: isoTime(expiresAt) }),
  },
  TwoFactorSecretResealed: hidden,
  TwoFactorEnabled: { type: 'account.two-factor-enabled' },
  TwoFactorDisabled: { type: 'account.two-factor-disabled' },
  TwoFactorLocked: { type: 'account.two-factor-locked', details: ({ failures }) => ({ failures }) },
  TwoFactorUnlocked: { type: 'account.two-factor-unlocked' },
  RecoveryCodesGenerated: { type: 'account.recovery-codes-generated', details: ({ count }) => ({ count }) },
  RecoveryCodesResealed: hidden,
  RecoveryCodeUsed: { type: 'account.recovery-code-used', details: ({ left }) => ({ left }) },
  OneTimeCodeUsed: { type: 'account.one-time-code-used', details: ({ protocol }) => ({ protocol }) },
  SshKeyAdded: {
    type: 'ssh-key.added',
    details: ({ keyId, title, key: { type, fingerprint, bits } }) => ({
      key_id: keyId,
      title,
      type,
      fingerprint,
      bits,
    }),
  },
  SshKeyRemoved: {
    type: 'ssh-key.removed',
    details: ({ keyId, fingerprint }) => ({ key_id: keyId, fingerprint }),
  },
  SshKeyRenamed: { type: 'ssh-key.renamed', details: ({ keyId, title }) => ({ key_id: keyId, title }) },
  SshKeyExpiryChanged: {
    type: 'ssh-key.expiry-changed',
    details: ({ keyId, expiresAt }) => ({ key_id: keyId, expires: expiresAt === null ? null : isoTime(expiresAt) }),
  },
  SshKeyExpired: {
    type: 'ssh-key.expired',
    details: ({ keyId, fingerprint, expiresAt }) => ({ key_id: keyId, fingerprint, expires: isoTime(expiresAt) }),
  },
  SshKeyUsed: { type: 'ssh-key.used', details: ({ keyId, usedAt }) => ({ key_id: keyId, used: isoTime(usedAt) }) },
  AccessTokenCreated: {
    type: 'access-token.created',
    details: ({ tokenId, name, scopes, expiresAt }) => ({
      token_id: tokenId,
      name,
      scopes,
      expires: expiresAt === null ? null : isoTime(expiresAt),
    }),
  },
  AccessTokenRevoked: { type: 'access-token.revoked', details: ({ tokenId }) => ({ token_id: tokenId }) },
  AppPasswordCreated: {
    type: 'app-password.created',
    details: ({ appPasswordId, name, protocol, expiresAt }) => ({
      app_password_id: appPasswordId,
      name,
      protocol,
      expires: expiresAt === null ? null : isoTime(expiresAt),
    }),
  },
  AppPasswordRevoked: {
    type: 'app-password.revoked',
    details: ({ appPasswordId }) => ({ app_password_id: appPasswordId }),
  },
  SessionStarted: {
    type: 'session.started',
    details: ({ factors, expiresAt }) => ({ factors, expires: isoTime(expiresAt * 1000) }),
  },
  SessionEnded: { type: 'session.ended', details: ({ reason }) => ({ reason }) },
  SettingsChanged: { type: 'site-settings.changed', details: ({ changes }) => settingsChanged(Object.keys(changes)) },
  SecretSettingChanged: { type: 'site-settings.changed', details: ({ key }) => settingsChanged([key]) },
  SecretSettingResealed: hidden,
  SettingDeleted: { type: 'site-settings.changed', details: ({ key }) => settingsChanged([key]) },
  StaticTokenReset: { type: 'site-settings.changed', details: () => settingsChanged(['token']) },
  StaticTokenResealed: hidden,
  AccountErased: { type: 'account.erased', details: ({ accountId }) => ({ account_id: accountId }) },
  BackupMade: hidden,
  OpenListUserLinked: hidden,
};

/** The type of an activity that only a newer version of Keyfold can describe. */
export const UNKNOWN_ACTIVITY = 'unknown';

export const ACTIVITY_TYPES: readonly string[] = [
  ...new Set(Object.values(activityTypes).flatMap((row) => (row ? [row.type] : []))),
  UNKNOWN_ACTIVITY,
];
