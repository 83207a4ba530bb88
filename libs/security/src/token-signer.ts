import { hash } from 'node:crypto';
import type { JwtService, JwtVerifyOptions } from '@nestjs/jwt';
import { LRUCache } from 'lru-cache';
import { readClaims, type TokenClaims } from './token-claims.js';

/** What a new token is about; `passwordTimestamp` in unix seconds, `now` in unix milliseconds. */
export type TokenSubject = Readonly<{
  accountId: number;
  sessionId: string;
  username: string;
  passwordTimestamp: number;
  now: number;
}>;

/** Header, claims and a signature of 32 bytes, whose last letter carries four bits and so has sixteen canonical forms. */
const HS256_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** The audience of device tokens. Sessions have none, so neither kind of token is ever taken for the other. */
export const DEVICE_AUDIENCE = 'keyfold-device';

/** Secrets that signed tokens before; they go on verifying them while they are being replaced. */
export class EarlierTokenSecrets {
  constructor(private readonly verifiers: readonly JwtService[] = []) {}

  /** What a token says that the present secret or an earlier one signed, undefined otherwise. */
  verified<Payload extends object>(present: JwtService, token: string, options: JwtVerifyOptions): Payload | undefined {
    for (const jwt of [present, ...this.verifiers]) {
      try {
        return jwt.verify<Payload>(token, options);
      } catch {
        // Another secret may have signed it.
      }
    }
    return undefined;
  }
}

/** Letters; ours has 36. */
const LONGEST_HEADER = 1_024;

/**
 * Why `TokenSigner.read` refuses a text. `bad_claims`: the signature is ours, but a claim is missing or names another issuer.
 * `of_device`: the text is a device token. `no_token`: the text is no JSON Web Token.
 */
export type TokenFlaw = 'bad_signature' | 'wrong_algorithm' | 'bad_claims' | 'of_device' | 'no_token';

const CACHED_TOKENS = 10_000;
/** Letters; a token with a longer name is checked each time, because ten thousand of them would fill the memory. */
const LONGEST_CACHED = 4_096;

/** Signs tokens with one secret and checks their signatures (HS256) with all. Whether a session is alive is not known here. */
export class TokenSigner {
  // Only good outcomes are kept: whoever makes up tokens makes each a new one, and would only push these out.
  private readonly known = new LRUCache<string, TokenClaims>({ max: CACHED_TOKENS });

  constructor(
    private readonly jwt: JwtService,
    private readonly options: Readonly<{ issuer: string; lifetimeHours: number }>,
    private readonly earlier = new EarlierTokenSecrets(),
  ) {}

  sign({ accountId, sessionId, username, passwordTimestamp, now }: TokenSubject): string {
    const iat = Math.floor(now / 1000);
    const exp = iat + Math.round(this.options.lifetimeHours * 3600);
    // compat: the original's claims come first and in its order.
    const original = { username, pwd_ts: passwordTimestamp, exp, nbf: iat, iat };
    const claims = { ...original, sub: String(accountId), jti: sessionId, iss: this.options.issuer };
    return this.jwt.sign(claims, { algorithm: 'HS256' });
  }

  /**
   * The claims when the signature is ours, the issuer fits and every claim has its type; `exp` and `nbf` are for the caller to
   * judge. Each token has one spelling: anything appended or a changed spare bit is refused.
   */
  read(token: string): TokenClaims | undefined {
    const key = hash('sha256', token, 'base64');
    const known = this.known.get(key);
    if (known) return known;
    const claims = this.check(token);
    if (claims && token.length <= LONGEST_CACHED) this.known.set(key, claims);
    return claims;
  }

  /** What is wrong with a text that `read` refuses. */
  flawOf(token: string): TokenFlaw {
    const algorithm = algorithmOf(token);
    if (algorithm === undefined) return 'no_token';
    if (algorithm !== 'HS256') return 'wrong_algorithm';
    const payload = HS256_TOKEN.test(token) ? this.verified(token) : undefined;
    if (payload === undefined) return 'bad_signature';
    return isOfDevice(payload) ? 'of_device' : 'bad_claims';
  }

  private check(token: string): TokenClaims | undefined {
    if (!HS256_TOKEN.test(token)) return undefined;
    const claims = readClaims(this.verified(token));
    return claims?.iss === this.options.issuer ? claims : undefined;
  }

  private verified(token: string): unknown {
    const options: JwtVerifyOptions = { algorithms: ['HS256'], ignoreExpiration: true, ignoreNotBefore: true };
    return this.earlier.verified(this.jwt, token, options);
  }
}

const isOfDevice = (payload: unknown) => (payload as { aud?: unknown }).aud === DEVICE_AUDIENCE;

/** The `alg` of a JSON Web Token; undefined when the text is none. */
function algorithmOf(token: string): string | undefined {
  const [header = '', , signature, ...rest] = token.split('.', 4);
  if (signature === undefined || rest.length > 0 || header.length > LONGEST_HEADER) return undefined;
  try {
    const { alg } = Object(JSON.parse(Buffer.from(header, 'base64url').toString())) as { alg?: unknown };
    return typeof alg === 'string' ? alg : undefined;
  } catch {
    return undefined;
  }
}
