import type { Origin } from '../origin.js';

/**
 * The names of security events. They follow OWASP's Application Logging Vocabulary, which has no terms for a token that is used, refused
 * or forged: `authn_token_use`, `authn_token_fail` and `authn_token_forged` are Keyfold's own. docs/run/monitor.md explains each name.
 */
export const securityEventNames = [
  'authn_login_fail',
  'authn_login_fail_max',
  'authn_login_lock',
  'authn_password_change',
  'authn_token_created',
  'authn_token_revoked',
  'authn_token_use',
  'authn_token_fail',
  'authn_token_forged',
  'privilege_permissions_changed',
  'user_created',
  'user_updated',
  'user_deleted',
] as const;
export type SecurityEventName = (typeof securityEventNames)[number];

/** An event that an operator must be able to trace. It contains no secrets and no text typed by a client. */
export type SecurityEvent = Readonly<{
  name: SecurityEventName;
  /** Arguments that follow the name in the log line: ids, roles and fixed words only. */
  about?: readonly (string | number)[];
  /** The account concerned, if known. */
  account?: number;
  outcome: 'accepted' | 'refused' | 'throttled' | 'locked' | 'changed';
  /** Additional fields of the log line, with values from a fixed set. */
  fields?: Readonly<Record<string, string>>;
  origin: Origin;
}>;

/** Writes security events for the operator. Never throws and never delays the reporting request. */
export abstract class SecurityLog {
  abstract report(event: SecurityEvent): void;
}

/** Discards all events, for processes without a security log. */
export const noSecurityLog: SecurityLog = { report: () => undefined };
