/**
 * The claims of a token (wire contract 1.7). `sub` is the id of the account, `jti` the id of the session. Times and `pwd_ts` (last password
 * change) are in unix seconds.
 */
export type TokenClaims = Readonly<{
  sub: string;
  jti: string;
  iss: string;
  username: string;
  pwd_ts: number;
  exp: number;
  nbf: number;
  iat: number;
}>;

/** Returns the claims, or undefined if one is missing or has the wrong type. Drops all other claims. */
export function readClaims(payload: unknown): TokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { sub, jti, iss, username, pwd_ts, exp, nbf, iat }: Record<string, unknown> = { ...payload };
  const texts = isText(sub) && isText(jti) && isText(iss) && isText(username);
  if (!texts || !isSeconds(pwd_ts) || !isSeconds(exp) || !isSeconds(nbf) || !isSeconds(iat)) return undefined;
  return Object.freeze({ sub, jti, iss, username, pwd_ts, exp, nbf, iat });
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value);
