import { accountOfId, LAST_NUMBER, numberedId } from '../kernel/numbered-ids.js';

/** The highest number of an access token within its account. */
export const LAST_TOKEN_NUMBER = LAST_NUMBER;

/** Returns the id of the account's n-th access token ever, with n from 1 to `LAST_TOKEN_NUMBER`. */
export const accessTokenIdOf = (accountId: number, n: number) => numberedId(accountId, n);

/** Returns the id of the account to which an access token with this id would belong. */
export const accountOfAccessToken = (tokenId: number) => accountOfId(tokenId);
