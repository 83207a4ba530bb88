import { Injectable } from '@nestjs/common';
import {
  ADMIN_ID,
  DomainError,
  GUEST_ID,
  sessionRefusal,
  type Account,
  type DomainErrorCode,
  type Session,
} from '@keyfold/domain';
import { voidStreamOf } from '@keyfold/event-store';
import {
  accountStream,
  sessionStream,
  siteSettingsStream,
  StreamLoader,
  type Loaded,
  type StreamRef,
  UnfoldableStream,
} from '@keyfold/projections';
import { isAccessTokenForm, Sealer, TokenSigner, type TokenClaims } from '@keyfold/security';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Clock } from '../commands/clock.js';
import type { Origin } from '../origin.js';
import { TokenActivity } from './token-activity.js';
import { sealingContext } from '../secrets/sealing.js';
import { SecurityLog } from '../security-log/security-log.js';
import { accessTokenRefused, staticTokenUsed, tokenRefused } from '../security-log/token-events.js';
import { AccessTokenIdentifier } from './access-token-identifier.js';
import type { Caller, CallerPart } from './caller.js';
import { callerStreams, loadedPart, type LoadedCaller } from './caller-streams.js';

/** Maximum clock difference between two gateways, in seconds. */
const CLOCK_SKEW = 60;

/** Identifies the caller of a request from the current state of its session and account (docs/develop/architecture.md). */
@Injectable()
export class CallerIdentifier {
  readonly #accessTokens: AccessTokenIdentifier;

  constructor(
    private readonly loader: StreamLoader,
    private readonly tokens: TokenSigner,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly security: SecurityLog,
    private readonly activity: TokenActivity,
  ) {
    this.#accessTokens = new AccessTokenIdentifier(loader, clock, activity);
  }

  /**
   * Returns the caller that the unparsed `Authorization` header stands for. Calls `origin` only if there is something to report to the
   * security log.
   *
   * @throws DomainError with the reason why the header is refused.
   */
  async identify(authorization: string | undefined, part: CallerPart, origin: () => Origin): Promise<Caller> {
    const token = withoutScheme(authorization ?? '');
    if (token === '') return this.#guest(part);
    if (isAccessTokenForm(token)) return this.#accessToken(token, part, origin);
    const claims = this.tokens.read(token);
    // A token that this service signed is never the static token, so the common case does not load the settings.
    return claims ? this.#session(claims, part) : this.#staticToken(token, part, origin);
  }

  async #guest(part: CallerPart): Promise<Caller> {
    const guest = await this.#part(GUEST_ID, part);
    if (guest.account.disabled) throw new DomainError('guest-disabled');
    return { ...guest, by: 'guest' };
  }

  async #accessToken(token: string, part: CallerPart, origin: () => Origin): Promise<Caller> {
    try {
      return await this.#accessTokens.identify(token, part);
    } catch (error) {
      const isUnknown = error instanceof DomainError && error.code === 'token-invalidated';
      if (isUnknown) this.security.report(accessTokenRefused(origin()));
      throw error;
    }
  }

  async #staticToken(token: string, part: CallerPart, origin: () => Origin): Promise<Caller> {
    const [{ state: settings }] = await this.loader.load(siteSettingsStream);
    const { sealedStaticToken } = settings;
    // An empty setting must never match, or it would make any caller an administrator.
    const expected = sealedStaticToken === '' ? '' : this.sealer.open(sealedStaticToken, sealingContext.staticToken);
    if (expected === '' || !sameText(token, expected)) {
      this.security.report(tokenRefused(token, this.tokens.flawOf(token), origin()));
      throw new DomainError('token-invalidated');
    }
    this.security.report(staticTokenUsed(origin()));
    return { ...(await this.#part(ADMIN_ID, part)), by: 'static-token' };
  }

  /** Like `identify`, but synchronous. Returns undefined unless all streams of the session are cached and known to be current. */
  identifyCached(authorization: string | undefined, part: CallerPart): Caller | undefined {
    const token = withoutScheme(authorization ?? '');
    if (isAccessTokenForm(token)) return this.#accessTokens.identifyCached(token, part);
    const claims = this.tokens.read(token);
    const loaded = claims && this.loader.loadNow(...sessionRefs(claims, part));
    return loaded && !this.#mayBeCompacted(claims, loaded) ? this.#callerOf(claims, loaded) : undefined;
  }

  async #session(claims: TokenClaims, part: CallerPart): Promise<Caller> {
    const loaded = await this.loader.load(...sessionRefs(claims, part));
    if (this.#mayBeCompacted(claims, loaded) && (await this.#endedByExpiry(claims)))
      throw new DomainError('token-expired');
    return this.#callerOf(claims, loaded);
  }

  /**
   * Returns whether an identified caller still has access by its session or access token. Counts no use. Expiry does not matter: a request that
   * began in time may end later.
   */
  async hasAccess({ account: { accountId, username }, sessionId, accessToken }: Caller): Promise<boolean> {
    if (accessToken) return this.#accessTokens.hasAccess(accessToken);
    const claims = { sub: String(accountId), jti: sessionId!, username };
    const refs = [sessionStream(claims.jti, accountId), accountStream(accountId)] as const;
    const [session, account] = await this.loader.load(...refs);
    return refusalReason(session.state, 'timely', account.state, claims) === undefined;
  }

  /** Returns whether the session may have been compacted, which happens some time after its token has expired. */
  #mayBeCompacted(claims: TokenClaims, [session]: LoadedSession): boolean {
    return session.state.status === 'absent' && this.#isExpired(claims);
  }

  /** Returns whether a compacted session simply expired: then one void commit is left of it. A logout leaves a second one. */
  async #endedByExpiry({ sub, jti }: TokenClaims): Promise<boolean> {
    const session = sessionStream(jti, Number(sub));
    try {
      const [left] = await this.loader.load({ ...session, stream: voidStreamOf(session.stream) });
      return left.version === 1;
    } catch (error) {
      // The read met the compaction half done and found the second commit without the first: there was a logout.
      if (error instanceof UnfoldableStream) return false;
      throw error;
    }
  }

  #isExpired({ exp }: Pick<TokenClaims, 'exp'>): boolean {
    return this.clock.now() >= exp * 1000;
  }

  /** Compares the clock with the token and its session. If they end at different times, the earlier end counts. */
  #timeliness({ exp, nbf }: TokenClaims, { expiresAt }: Session): Timeliness {
    if (this.#isExpired({ exp: Math.min(exp, expiresAt) })) return 'expired';
    return this.clock.now() < (nbf - CLOCK_SKEW) * 1000 ? 'early' : 'timely';
  }

  #callerOf(claims: TokenClaims, [session, ...loaded]: LoadedSession): Caller {
    const timeliness = this.#timeliness(claims, session.state);
    const reason = refusalReason(session.state, timeliness, loaded[0].state, claims);
    if (reason) throw new DomainError(reason);
    this.activity.used(session.state);
    const { startedAt } = session.state;
    return { ...loadedPart(loaded), by: 'session', sessionId: claims.jti, loggedInAt: startedAt };
  }

  async #part(accountId: number, part: CallerPart): Promise<ReturnType<typeof loadedPart>> {
    return loadedPart(await this.loader.load(...callerStreams(accountId, part)));
  }
}

type Timeliness = 'early' | 'timely' | 'expired';
type LoadedSession = readonly [Loaded<Session>, ...LoadedCaller];
type SessionRefs = readonly [StreamRef<Session>, ...ReturnType<typeof callerStreams>];

/** Caches the stream references of a token for as long as its claims are cached, because most tokens are used many times. */
const refsOf: Readonly<Record<CallerPart, WeakMap<TokenClaims, SessionRefs>>> = {
  account: new WeakMap(),
  ring: new WeakMap(),
  keys: new WeakMap(),
};

/** Returns all streams that a request with this token needs, so that one round trip loads them. */
function sessionRefs(claims: TokenClaims, part: CallerPart): SessionRefs {
  const known = refsOf[part].get(claims);
  if (known) return known;
  const accountId = Number(claims.sub);
  const refs = [sessionStream(claims.jti, accountId), ...callerStreams(accountId, part)] as const;
  refsOf[part].set(claims, refs);
  return refs;
}

function refusalReason(
  session: Session,
  timeliness: Timeliness,
  account: Account,
  { sub, jti, username }: Pick<TokenClaims, 'sub' | 'jti' | 'username'>,
): DomainErrorCode | undefined {
  if (session.status !== 'active' || session.accountId !== Number(sub)) return 'token-invalidated';
  if (timeliness === 'expired') return 'token-expired';
  if (timeliness === 'early') return 'token-not-active';
  if (account.status !== 'active' || account.username !== username) return 'account-not-found-for-token';
  const refusal = sessionRefusal(account, { generation: session.generation, session: jti });
  if (refusal) return refusal;
  return account.disabled ? 'account-disabled' : undefined;
}

/** compat: the original expects the bare token; some clients put `Bearer` before it (AlistGo/alist#7888). */
const withoutScheme = (header: string) => (header.startsWith('Bearer ') ? header.slice(7).trim() || 'Bearer' : header);

const digest = (text: string) => createHash('sha256').update(text).digest();
const sameText = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
