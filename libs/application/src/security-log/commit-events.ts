import {
  ROLE_ADMIN,
  ROLE_GUEST,
  type AccessTokensEvent,
  type AccountEvent,
  type AppPasswordsEvent,
  type SiteSettingsEvent,
} from '@keyfold/domain';
import type { NewCommit } from '@keyfold/event-store';
import type { Origin } from '../origin.js';
import type { SecurityEvent } from './security-log.js';

type Reported = Pick<SecurityEvent, 'name' | 'about'> & Partial<Pick<SecurityEvent, 'outcome'>>;

type ReportedEvent = AccountEvent | AccessTokensEvent | AppPasswordsEvent | SiteSettingsEvent;

/**
 * Returns the security events of a stored commit: changes of who can log in, how, and with which rights. Every change is reported from
 * here, regardless of its command. A role is set when its account is created and never changes.
 */
export function securityEventsOf({ actor, partition, events }: NewCommit, origin: Origin): SecurityEvent[] {
  const account = Number.isSafeInteger(Number(partition)) ? Number(partition) : undefined;
  return events.flatMap((event) => {
    const reported = reportedOf(event as ReportedEvent, actorId(actor), account ?? 0);
    const subject = account === undefined ? {} : { account };
    return reported ? [{ outcome: 'changed', ...subject, fields: { actor }, ...reported, origin }] : [];
  });
}

function reportedOf(event: ReportedEvent, by: string, account: number): Reported | undefined {
  switch (event.type) {
    case 'AccountRegistered':
      return { name: 'user_created', about: [by, account, roleName(event.data.role)] };
    case 'AccountDeleted':
      return { name: 'user_deleted', about: [by, account] };
    case 'AccountDisabled':
      return { name: 'user_updated', about: [by, account, 'disabled'] };
    case 'AccountEnabled':
      return { name: 'user_updated', about: [by, account, 'enabled'] };
    case 'SessionsEvicted':
      return { name: 'user_updated', about: [by, account, 'sessions_evicted'] };
    case 'TwoFactorEnabled':
      return { name: 'user_updated', about: [by, account, 'two_factor_enabled'] };
    case 'RecoveryCodesGenerated':
      return { name: 'user_updated', about: [by, account, 'recovery_codes_generated'] };
    case 'RecoveryCodeUsed':
      return { name: 'user_updated', about: [by, account, 'recovery_code_used'] };
    case 'TwoFactorDisabled':
      return { name: 'user_updated', about: [by, account, 'two_factor_disabled'] };
    case 'TwoFactorUnlocked':
      return { name: 'user_updated', about: [by, account, 'two_factor_unlocked'] };
    case 'PermissionsChanged':
      return { name: 'privilege_permissions_changed', about: [by, account, event.data.permission] };
    case 'PasswordChanged':
      return { name: 'authn_password_change', about: [account] };
    case 'TwoFactorLocked':
      return { name: 'authn_login_lock', about: [account, 'maxretries'], outcome: 'locked' };
    case 'AccessTokenCreated':
      return { name: 'authn_token_created', about: [by, 'access', event.data.tokenId] };
    case 'AccessTokenRevoked':
      return { name: 'authn_token_revoked', about: [by, event.data.tokenId] };
    case 'AppPasswordCreated':
      return { name: 'authn_token_created', about: [by, 'app_password', event.data.appPasswordId] };
    case 'AppPasswordRevoked':
      return { name: 'authn_token_revoked', about: [by, 'app_password', event.data.appPasswordId] };
    case 'StaticTokenReset':
      return { name: 'authn_token_created', about: [by, 'static'] };
    default:
      return undefined;
  }
}

/** Actors have the form `<way>:<account>`, with `:<token>` for an access token, or are a single word if there is no account. */
const actorId = (actor: string) => actor.split(':')[1] ?? actor;

const ROLES = new Map([
  [0, 'general'],
  [ROLE_GUEST, 'guest'],
  [ROLE_ADMIN, 'admin'],
]);
/** Role numbers without a meaning in the original stay numbers. */
const roleName = (role: number) => ROLES.get(role) ?? role;
