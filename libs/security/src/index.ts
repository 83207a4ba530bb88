export { Argon2PasswordHasher } from './passwords/argon2-password-hasher.js';
export { isCommonPassword } from './passwords/guessable-secrets.js';
export { isTotpSecret, matchingStep, newTotpSecret, otpauthUri, qrPicture } from './passwords/one-time-code.js';
export { isWrapped, openlistHashOf, wrapOpenlistHash, type OpenlistHash } from './passwords/openlist-hash.js';
export { dummyHash, HashQueueFull, PasswordHasher, staticHash, type HashGroups } from './passwords/password-hasher.js';
export {
  appPasswordHash,
  isRecoveryCode,
  isSameSecretHash,
  isSetupCode,
  matchingRecoveryCode,
  newAppPassword,
  newRecoveryCodes,
  RECOVERY_CODES,
  recoveryCodeHashes,
  SETUP_CODE_BYTES,
  setupCodeOf,
} from './passwords/typed-secrets.js';
export { InvalidPatterns, PrivacyMask } from './privacy-mask.js';
export { SealBroken, Sealer, sealingKeyIdOf, UnknownSealingKey } from './sealing/sealer.js';
export {
  newSealingKeyText,
  parseSealingKeys,
  requireStrongSealingKey,
  type SealingKey,
} from './sealing/sealing-keys.js';
export { parseOfferedKey, parseSshPublicKey, readSshPublicKey } from './ssh/ssh-public-key.js';
export { networksOf, sourceOf, type LoginAttempt } from './throttle/login-keys.js';
export { LoginHours, type LoginHour } from './throttle/login-hours.js';
export { CODE_FAILURES_BEFORE_LOCK, LoginThrottle, type CountedAttempt } from './throttle/login-throttle.js';
export { ThrottleStore } from './throttle/throttle-store.js';
export {
  accessTokenText,
  isAccessTokenForm,
  newAccessTokenSecret,
  readAccessToken,
  type AccessTokenText,
} from './tokens/access-token-text.js';
export { DeviceTokens, type Device } from './tokens/device-tokens.js';
export {
  EarlierTokenSecrets,
  parseTokenSecrets,
  TokenSigner,
  type TokenClaims,
  type TokenFlaw,
} from './tokens/token-signer.js';
