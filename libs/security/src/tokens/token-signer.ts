import { hash } from 'node:crypto';
import type { JwtService, JwtVerifyOptions } from '@nestjs/jwt';
import { LRUCache } from 'lru-cache';
import { weaknessOf } from '../passwords/guessable-secrets.js';

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

/** The subject of a new token. `passwordTimestamp` is in unix seconds, `now` in unix milliseconds. */
export type TokenSubject = Readonly<{
  accountId: number;
  sessionId: string;
  username: string;
  passwordTimestamp: number;
  now: number;
}>;

/** Header, claims and a signature of 32 bytes. Its last character encodes only four bits, so it has 16 canonical values. */
const HS256_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** The audience of device tokens. Session tokens have none, so neither kind is accepted as the other. */
export const DEVICE_AUDIENCE = 'keyfold-device';

/** 256 bits at 8 bits per character (RFC 7518 section 3.2). */
const MIN_CHARACTERS = 32;
const HOW_TO_GENERATE = 'generate one with "openssl rand -base64 48"';

/**
 * Parses a comma-separated list of token secrets. The first one signs, all of them verify.
 *
 * @throws Error that does not quote the text, because it is secret.
 */
export function parseTokenSecrets(text: string): string[] {
  const secrets = text.split(/\s*,\s*/);
  secrets.forEach((secret, index) => {
    const name = secrets.length > 1 ? `secret ${index + 1} of the list (commas separate secrets) ` : '';
    if (secret.length < MIN_CHARACTERS)
      throw new Error(`${name}needs at least ${MIN_CHARACTERS} characters (256 bits): ${HOW_TO_GENERATE}`);
    const weakness = weaknessOf(secret);
    if (weakness !== undefined) throw new Error(`${name}${weakness} and can be guessed: ${HOW_TO_GENERATE}`);
  });
  return secrets;
}

/** Earlier token secrets, which still verify tokens during a rotation. */
export class EarlierTokenSecrets {
  constructor(private readonly verifiers: readonly JwtService[] = []) {}

  /** Returns the payload of a token signed with the present secret or an earlier one, else undefined. */
  verify<Payload extends object>(present: JwtService, token: string, options: JwtVerifyOptions): Payload | undefined {
    for (const jwt of [present, ...this.verifiers]) {
      try {
        return jwt.verify<Payload>(token, options);
      } catch {
        // Try the next secret.
      }
    }
    return undefined;
  }
}

/** In characters; the header of our tokens has 36. */
const MAX_HEADER = 1_024;

/**
 * Why `TokenSigner.read` refuses a text. `bad_claims`: the signature is valid, but a claim is missing or the issuer is another one.
 * `of_device`: it is a device token. `no_token`: it is not a JSON Web Token.
 */
export type TokenFlaw = 'bad_signature' | 'wrong_algorithm' | 'bad_claims' | 'of_device' | 'no_token';

const CACHED_TOKENS = 10_000;
/** In characters. Longer tokens are not cached, because 10,000 of them would fill the memory. */
const MAX_CACHED_TOKEN = 4_096;

/** Signs session tokens with one secret and verifies them (HS256) with all. Does not know whether a session is still active. */
export class TokenSigner {
  // Caches valid tokens only: forged tokens are all different and would evict them.
  private readonly verified = new LRUCache<string, TokenClaims>({ max: CACHED_TOKENS });

  constructor(
    private readonly jwt: JwtService,
    private readonly options: Readonly<{ issuer: string; lifetimeHours: number }>,
    private readonly earlier = new EarlierTokenSecrets(),
  ) {}

  sign({ accountId, sessionId, username, passwordTimestamp, now }: TokenSubject): string {
    const iat = Math.floor(now / 1000);
    const exp = iat + Math.round(this.options.lifetimeHours * 3600);
    // compat: the original's claims come first, in its order.
    const original = { username, pwd_ts: passwordTimestamp, exp, nbf: iat, iat };
    const claims = { ...original, sub: String(accountId), jti: sessionId, iss: this.options.issuer };
    return this.jwt.sign(claims, { algorithm: 'HS256' });
  }

  /**
   * Returns the claims of a token, or undefined if its signature, issuer or the type of a claim is wrong. The caller checks `exp` and `nbf`.
   * Accepts only the canonical encoding, without appended text or changed unused bits.
   */
  read(token: string): TokenClaims | undefined {
    const key = hash('sha256', token, 'base64');
    const cached = this.verified.get(key);
    if (cached) return cached;
    const claims = this.check(token);
    if (claims && token.length <= MAX_CACHED_TOKEN) this.verified.set(key, claims);
    return claims;
  }

  flawOf(token: string): TokenFlaw {
    const algorithm = algorithmOf(token);
    if (algorithm === undefined) return 'no_token';
    if (algorithm !== 'HS256') return 'wrong_algorithm';
    const payload = HS256_TOKEN.test(token) ? this.payloadOf(token) : undefined;
    if (payload === undefined) return 'bad_signature';
    return (payload as { aud?: unknown }).aud === DEVICE_AUDIENCE ? 'of_device' : 'bad_claims';
  }

  private check(token: string): TokenClaims | undefined {
    if (!HS256_TOKEN.test(token)) return undefined;
    const claims = readClaims(this.payloadOf(token));
    return claims?.iss === this.options.issuer ? claims : undefined;
  }

  private payloadOf(token: string): unknown {
    const options: JwtVerifyOptions = { algorithms: ['HS256'], ignoreExpiration: true, ignoreNotBefore: true };
    return this.earlier.verify(this.jwt, token, options);
  }
}

function algorithmOf(token: string): string | undefined {
  const [header = '', , signature, ...rest] = token.split('.', 4);
  if (signature === undefined || rest.length > 0 || header.length > MAX_HEADER) return undefined;
  try {
    const { alg } = Object(JSON.parse(Buffer.from(header, 'base64url').toString())) as { alg?: unknown };
    return typeof alg === 'string' ? alg : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the claims, or undefined if one is missing or has the wrong type. Drops all other claims. */
function readClaims(payload: unknown): TokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { sub, jti, iss, username, pwd_ts, exp, nbf, iat }: Record<string, unknown> = { ...payload };
  const texts = isText(sub) && isText(jti) && isText(iss) && isText(username);
  if (!texts || !isSeconds(pwd_ts) || !isSeconds(exp) || !isSeconds(nbf) || !isSeconds(iat)) return undefined;
  return Object.freeze({ sub, jti, iss, username, pwd_ts, exp, nbf, iat });
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value);
