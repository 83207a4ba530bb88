import { accountOfId, LAST_NUMBER, numberedId } from '../kernel/numbered-ids.js';

/** The highest number of a key within its account. */
export const LAST_KEY_NUMBER = LAST_NUMBER;

/** Returns the id of the account's n-th key ever, with n from 1 to `LAST_KEY_NUMBER`. */
export const keyIdOf = (accountId: number, n: number) => numberedId(accountId, n);

/** Returns the id of the account to which a key with this id would belong. */
export const accountOfKey = (keyId: number) => accountOfId(keyId);
