import type { Origin } from '../origin.js';

/**
 * Names of security events, after OWASP's Application Logging Vocabulary. The vocabulary has no term for a token that is used, refused
 * or forged, so `authn_token_use`, `authn_token_fail` and `authn_token_forged` are ours. docs/operating.md explains each.
 */
export const securityEventNames = [
  'authn_login_fail',
  'authn_login_fail_max',
  'authn_login_lock',
  'authn_password_change',
  'authn_token_created',
  'authn_token_use',
  'authn_token_fail',
  'authn_token_forged',
  'privilege_permissions_changed',
  'user_created',
  'user_updated',
  'user_deleted',
] as const;
export type SecurityEventName = (typeof securityEventNames)[number];

/** Something that an operator must be able to trace. It holds no secret, and no text that a client typed. */
export type SecurityEvent = Readonly<{
  name: SecurityEventName;
  /** Follows the name in the log line: ids, roles and fixed words only. */
  about?: readonly (string | number)[];
  /** The account concerned, where it is known. */
  account?: number;
  outcome: 'accepted' | 'refused' | 'throttled' | 'locked' | 'changed';
  /** More fields of the line, with values out of a fixed set. */
  fields?: Readonly<Record<string, string>>;
  origin: Origin;
}>;

/** Writes security events for the operator. Never throws, and never delays the request that reports. */
export abstract class SecurityLog {
  abstract report(event: SecurityEvent): void;
}

/** For processes without a log of their own. */
export const noSecurityLog: SecurityLog = { report: () => undefined };
