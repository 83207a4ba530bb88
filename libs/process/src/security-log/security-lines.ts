import type { SecurityEventName } from '@keyfold/application';

/** The log level of a security event. */
export type SecurityLineLevel = 'info' | 'warn';

/** The log level and message of each security event. Only possible attacks are warnings. */
export const securityLines: Readonly<
  Record<SecurityEventName, Readonly<{ level: SecurityLineLevel; message: string }>>
> = {
  authn_login_fail: { level: 'warn', message: 'login refused' },
  authn_login_fail_max: { level: 'warn', message: 'login throttled' },
  authn_login_lock: { level: 'warn', message: 'second factor locked' },
  authn_password_change: { level: 'info', message: 'password changed' },
  authn_token_created: { level: 'info', message: 'token created' },
  authn_token_revoked: { level: 'info', message: 'token revoked' },
  authn_token_use: { level: 'info', message: 'static token used' },
  authn_token_fail: { level: 'warn', message: 'token refused' },
  authn_token_forged: { level: 'warn', message: 'forged token refused' },
  privilege_permissions_changed: { level: 'info', message: 'permissions changed' },
  user_created: { level: 'info', message: 'account created' },
  user_updated: { level: 'info', message: 'account changed' },
  user_deleted: { level: 'info', message: 'account deleted' },
};
