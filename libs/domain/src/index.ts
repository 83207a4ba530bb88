export * from './kernel/aggregate.js';
export { bytesOf, TEXT_BYTES } from './kernel/bounded-text.js';
export * from './kernel/decider.js';
export * from './kernel/domain-error.js';
export * from './kernel/event.js';
export * from './kernel/import-cause.js';
export * from './kernel/file-protocols.js';
export type { ResealSecrets } from './kernel/reseal-secrets.js';
export * from './kernel/upcasting.js';
export * from './account/account.decider.js';
export * from './account/account.commands.js';
export * from './account/account.events.js';
export * from './account/account.holds.js';
export { cleanBasePath } from './account/base-path.js';
export * from './account/name-rules.js';
export {
  absentAccount,
  FIRST_GENERATION,
  sessionRefusal,
  type Account,
  type Enrolment,
  type RecoveryCodes,
  type TwoFactor,
} from './account/account.state.js';
export * from './erasures/erasures.decider.js';
export * from './erasures/erasures.events.js';
export * from './openlist-user/openlist-user.decider.js';
export * from './openlist-user/openlist-user.events.js';
export * from './session/session.decider.js';
export * from './session/session.events.js';
export { isExpired, LONGEST_EXPIRY, nextExpiryOf } from './ssh-key-ring/ssh-key-expiry.js';
export * from './ssh-key-ring/ssh-key-ring.decider.js';
export * from './ssh-key-ring/ssh-key-ring.events.js';
export * from './ssh-key-use/ssh-key-use.decider.js';
export * from './ssh-key-use/ssh-key-use.events.js';
export {
  accountOfSecret,
  isSecretExpired,
  SECRET_LIFETIME,
  secretIdOf,
  SECRETS_PER_ACCOUNT,
  type CreateSecret,
  type NamedSecret,
  type NamedSecrets,
  type RevokeAllSecrets,
  type RevokeSecret,
  type SecretKindName,
} from './named-secrets/named-secrets.js';
export * from './named-secrets/access-tokens.js';
export * from './named-secrets/app-passwords.js';
export * from './site-settings/factory-settings.js';
export * from './site-settings/setting-rules.js';
export * from './site-settings/site-settings.decider.js';
export * from './site-settings/site-settings.commands.js';
export * from './site-settings/site-settings.events.js';
export * from './site-settings/site-settings.state.js';
export * from './stored-events.js';
