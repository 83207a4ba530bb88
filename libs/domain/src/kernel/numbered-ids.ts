/** Size of the range of ids that each account has for one kind of thing, so that the id alone identifies the account. */
const IDS_PER_ACCOUNT = 2 ** 20;

/** The highest number within the range of an account. The next id belongs to another account. */
export const LAST_NUMBER = IDS_PER_ACCOUNT - 1;

/** Returns the n-th id of the account, with n from 1 to `LAST_NUMBER`. It is a safe integer for accounts below 2^33. */
export const numberedId = (accountId: number, n: number) => accountId * IDS_PER_ACCOUNT + n;

/** Returns the account to whose range an id belongs. */
export const accountOfId = (id: number) => Math.floor(id / IDS_PER_ACCOUNT);
