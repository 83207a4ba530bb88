/** Size of the range of key ids that each account has, so that the id alone identifies the account. */
const KEY_IDS_PER_ACCOUNT = 2 ** 20;

/** The highest number of a key within its account. The next id belongs to another account. */
export const LAST_KEY_NUMBER = KEY_IDS_PER_ACCOUNT - 1;

/** Returns the id of the account's n-th key ever, with n from 1 to `LAST_KEY_NUMBER`. It is a safe integer for accounts below 2^33. */
export const keyIdOf = (accountId: number, n: number) => accountId * KEY_IDS_PER_ACCOUNT + n;

/** Returns the id of the account to which a key with this id would belong. */
export const accountOfKey = (keyId: number) => Math.floor(keyId / KEY_IDS_PER_ACCOUNT);
