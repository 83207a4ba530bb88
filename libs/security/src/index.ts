export {
  accessTokenText,
  isAccessTokenForm,
  isSameAccessTokenHash,
  newAccessTokenSecret,
  readAccessToken,
  type AccessTokenText,
} from './access-token-text.js';
export { appPasswordHash, isSameAppPasswordHash, newAppPassword } from './app-password-text.js';
export { Argon2PasswordHasher } from './argon2-password-hasher.js';
export { isCommonPassword } from './common-passwords.js';
export { DeviceTokens, type Device } from './device-tokens.js';
export { dummyHash } from './dummy-hash.js';
export { matchingStep, newTotpSecret, otpauthUri, qrPicture } from './one-time-code.js';
export { HashQueueFull, PasswordHasher, type HashGroups } from './password-hasher.js';
export { InvalidPatterns, PrivacyMask } from './privacy-mask.js';
export { SealBroken, Sealer, sealingKeyIdOf, UnknownSealingKey } from './sealer.js';
export {
  isRecoveryCode,
  matchingRecoveryCode,
  newRecoveryCodes,
  RECOVERY_CODES,
  recoveryCodeHashes,
} from './recovery-codes.js';
export { newSealingKeyText, parseSealingKeys, requireStrongSealingKey, type SealingKey } from './sealing-keys.js';
export { parseOfferedKey, parseSshPublicKey } from './ssh-public-key.js';
export { networksOf, sourceOf } from './source-networks.js';
export { staticHash } from './static-hash.js';
export type { TokenClaims } from './token-claims.js';
export { parseTokenSecrets } from './token-secrets.js';
export { EarlierTokenSecrets, TokenSigner, type TokenFlaw } from './token-signer.js';
export { CODE_FAILURES_BEFORE_LOCK, LoginThrottle, type CountedAttempt, type LoginAttempt } from './login-throttle.js';
export { ThrottleStore } from './throttle-store.js';
