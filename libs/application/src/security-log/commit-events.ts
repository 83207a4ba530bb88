import { ROLE_ADMIN, ROLE_GUEST, type AccountEvent, type SiteSettingsEvent } from '@keyfold/domain';
import type { NewCommit } from '@keyfold/event-store';
import type { Origin } from '../origin.js';
import type { SecurityEvent } from './security-log.js';

type Reported = Pick<SecurityEvent, 'name' | 'about'> & Partial<Pick<SecurityEvent, 'outcome'>>;

/**
 * The security events of a commit that was stored: who may log in, how, and what accounts may do. Every change is reported from here,
 * whichever command made it. Roles are set when an account is made and never change.
 */
export function securityEventsOf({ actor, partition, events }: NewCommit, origin: Origin): SecurityEvent[] {
  const account = Number.isSafeInteger(Number(partition)) ? Number(partition) : undefined;
  return events.flatMap((event) => {
    const reported = reportedOf(event as AccountEvent | SiteSettingsEvent, actorId(actor), account ?? 0);
    const subject = account === undefined ? {} : { account };
    return reported ? [{ outcome: 'changed', ...subject, fields: { actor }, ...reported, origin }] : [];
  });
}

function reportedOf(event: AccountEvent | SiteSettingsEvent, by: string, account: number): Reported | undefined {
  switch (event.type) {
    case 'AccountRegistered':
      return { name: 'user_created', about: [by, account, roleName(event.data.role)] };
    case 'AccountDeleted':
      return { name: 'user_deleted', about: [by, account] };
    case 'AccountDisabled':
      return { name: 'user_updated', about: [by, account, 'disabled'] };
    case 'AccountEnabled':
      return { name: 'user_updated', about: [by, account, 'enabled'] };
    case 'TwoFactorEnabled':
      return { name: 'user_updated', about: [by, account, 'two_factor_enabled'] };
    case 'TwoFactorDisabled':
      return { name: 'user_updated', about: [by, account, 'two_factor_disabled'] };
    case 'PermissionsChanged':
      return { name: 'privilege_permissions_changed', about: [by, account, event.data.permission] };
    case 'PasswordChanged':
      return { name: 'authn_password_change', about: [account] };
    case 'TwoFactorLocked':
      return { name: 'authn_login_lock', about: [account, 'maxretries'], outcome: 'locked' };
    case 'ApiTokenReset':
      return { name: 'authn_token_created', about: [by, 'static'] };
    default:
      return undefined;
  }
}

/** Actors are `<way>:<account>`, or a word for those that are no account. */
const actorId = (actor: string) => actor.slice(actor.indexOf(':') + 1);

const ROLES = new Map([
  [0, 'general'],
  [ROLE_GUEST, 'guest'],
  [ROLE_ADMIN, 'admin'],
]);
/** Numbers that the original gives no meaning stay numbers. */
const roleName = (role: number) => ROLES.get(role) ?? role;
