import type { SecurityEventName } from '@keyfold/application';

export type SecurityLineLevel = 'info' | 'warn';

/** The level and the message of the line of each event. */
export const securityLines: Readonly<
  Record<SecurityEventName, Readonly<{ level: SecurityLineLevel; message: string }>>
> = {
  authn_login_fail: { level: 'warn', message: 'login refused' },
  authn_login_fail_max: { level: 'warn', message: 'login throttled' },
  authn_login_lock: { level: 'warn', message: 'second factor locked' },
  authn_password_change: { level: 'info', message: 'password changed' },
  authn_token_created: { level: 'warn', message: 'static token made' },
  authn_token_use: { level: 'info', message: 'static token used' },
  authn_token_fail: { level: 'warn', message: 'token refused' },
  authn_token_forged: { level: 'warn', message: 'forged token refused' },
  privilege_permissions_changed: { level: 'warn', message: 'permissions changed' },
  user_created: { level: 'warn', message: 'account created' },
  user_updated: { level: 'warn', message: 'account changed' },
  user_deleted: { level: 'warn', message: 'account deleted' },
};
