/** Each account has room for this many key ids, so that the account follows from the id without a look-up. */
const KEY_IDS_PER_ACCOUNT = 2 ** 20;

/** The highest number that a key of an account can have; one more would be the id of another account's key. */
export const LAST_KEY_NUMBER = KEY_IDS_PER_ACCOUNT - 1;

/** The id of the account's n-th key ever, n from 1 to `LAST_KEY_NUMBER`. A safe integer for accounts below 2^33. */
export const keyIdOf = (accountId: number, n: number) => accountId * KEY_IDS_PER_ACCOUNT + n;

/** The account whose key this is, or would be. */
export const accountOfKey = (keyId: number) => Math.floor(keyId / KEY_IDS_PER_ACCOUNT);
