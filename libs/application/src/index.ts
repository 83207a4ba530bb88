export * from './application.module.js';
export * from './caller/app-password-check.js';
export * from './named-secrets/manage-secrets.js';
export * from './named-secrets/own-secrets.js';
export * from './named-secrets/revoke-everything.js';
export {
  accessTokenKind,
  appPasswordKind,
  listSecrets,
  type ListedSecret,
  type SecretKind,
} from './named-secrets/secret-kinds.js';
export * from './activity/account-at.js';
export * from './activity/activity.js';
export * from './activity/activity-history.js';
export { ACTIVITY_TYPES, type ActivityDetails } from './activity/activity-types.js';
export * from './activity/list-activity.js';
export * from './accounts/manage-accounts.js';
export * from './accounts/find-accounts.js';
export * from './accounts/new-passwords.js';
export * from './caller/caller-identifier.js';
export * from './caller/caller.js';
export * from './caller/token-activity.js';
export * from './commands/clock.js';
export * from './commands/command-traces.js';
export * from './accounts/first-start.js';
export * from './commands/command-runner.js';
export * from './origin.js';
export * from './login/code-check.js';
export * from './login/log-in.js';
export * from './login/login-queues.js';
export * from './login/session-start.js';
export * from './sessions/own-sessions.js';
export * from './login/login-outcomes.js';
export * from './login/password-check.js';
export { RecentLogins, startOfHour } from './login/recent-logins.js';
export * from './accounts/own-profile.js';
export { requireSealingKey, requireSealingKeyOf, sealingContext } from './secrets/sealing.js';
export * from './secrets/reseal-secrets.js';
export * from './secrets/secret-walk.js';
export * from './security-log/security-log.js';
export { accessTokenRefused } from './security-log/token-events.js';
export * from './settings/change-settings.js';
export * from './settings/current-privacy-mask.js';
export * from './settings/read-settings.js';
export * from './login/file-server-logins.js';
export * from './sessions/account-sessions.js';
export * from './sessions/manage-sessions.js';
export * from './sessions/session-ending.js';
export * from './settings/setting-list.js';
export * from './settings/setting-secrets.js';
export * from './setup/setup.js';
export * from './setup/set-up-admin.js';
export * from './ssh-keys/own-keys.js';
export * from './ssh-keys/ssh-keys.module.js';
export * from './ssh-keys/find-key-owners.js';
export * from './ssh-keys/manage-keys.js';
export * from './ssh-keys/listed-keys.js';
export * from './ssh-keys/look-up-keys.js';
export * from './ssh-keys/record-key-use.js';
export * from './ssh-keys/ssh-key-expiry.js';
export * from './two-factor/manage-two-factor.js';
export * from './two-factor/owner-proof.js';
export * from './commands/stream-queue.js';
export * from './login/user-names.js';
