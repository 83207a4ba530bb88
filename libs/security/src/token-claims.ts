/**
 * What a token says (wire contract 1.7, plus `sub`, `jti` and `iss`). `sub` is the account's id, `jti` the session's; times and
 * `pwd_ts` (last password change) in unix seconds.
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

/** The claims when each has its type, else undefined. Other claims are dropped. */
export function readClaims(payload: unknown): TokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { sub, jti, iss, username, pwd_ts, exp, nbf, iat }: Record<string, unknown> = { ...payload };
  const texts = isText(sub) && isText(jti) && isText(iss) && isText(username);
  if (!texts || !isSeconds(pwd_ts) || !isSeconds(exp) || !isSeconds(nbf) || !isSeconds(iat)) return undefined;
  return Object.freeze({ sub, jti, iss, username, pwd_ts, exp, nbf, iat });
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value);
