import { accountOfId, LAST_NUMBER, numberedId } from '../kernel/numbered-ids.js';

/** The highest number of an app password within its account. */
export const LAST_APP_PASSWORD_NUMBER = LAST_NUMBER;

/** Returns the id of the account's n-th app password ever, with n from 1 to `LAST_APP_PASSWORD_NUMBER`. */
export const appPasswordIdOf = (accountId: number, n: number) => numberedId(accountId, n);

/** Returns the id of the account to which an app password with this id would belong. */
export const accountOfAppPassword = (appPasswordId: number) => accountOfId(appPasswordId);
