import {
  ADMIN_ID,
  DomainError,
  GUEST_ID,
  type Account,
  type DomainErrorCode,
  type Session,
  type SshKeyRing,
  type SshKeyUse,
} from '@keyfold/domain';
import { voidStreamOf } from '@keyfold/event-store';
import {
  accountStream,
  sessionStream,
  siteSettingsStream,
  sshKeyRingStream,
  sshKeyUseStream,
  StreamLoader,
  type Loaded,
  type StreamRef,
  UnfoldableStream,
} from '@keyfold/projections';
import { Sealer, TokenSigner, type TokenClaims } from '@keyfold/security';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Clock } from '../clock.js';
import type { Origin } from '../origin.js';
import { sealedFor } from '../sealed-for.js';
import { SecurityLog } from '../security-log/security-log.js';
import { refusedToken, usedApiToken } from '../security-log/token-events.js';
import type { Caller } from './caller.js';

/** `keys`: the answer shows the caller's SSH keys, so they are loaded in the same round trip. */
export type Shows = 'account' | 'keys';

/** Seconds that the clocks of two gateways may differ. */
const CLOCK_SKEW = 60;

/** Finds out who a request speaks for (docs/architecture.md), from the true state of the session and the account. */
export class CallerIdentifier {
  constructor(
    private readonly loader: StreamLoader,
    private readonly tokens: TokenSigner,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Takes the `Authorization` header as it came. Throws a `DomainError` with the reason for which it speaks for nobody. `origin` is
   * asked for when something goes into the security log.
   */
  async identify(authorization: string | undefined, shows: Shows, origin: () => Origin): Promise<Caller> {
    const token = withoutScheme(authorization ?? '');
    if (token === '') return this.#guest(shows);
    const claims = this.tokens.read(token);
    // A token that this service signed is never the static token, so the common case need not look at the settings.
    return claims ? this.#session(claims, shows) : this.#apiToken(token, shows, origin);
  }

  async #guest(shows: Shows): Promise<Caller> {
    const { account, keys } = await this.#account(GUEST_ID, shows);
    if (account.disabled) throw new DomainError('guest-disabled');
    return { account, keys, by: 'guest' };
  }

  async #apiToken(token: string, shows: Shows, origin: () => Origin): Promise<Caller> {
    const [{ state: settings }] = await this.loader.load(siteSettingsStream);
    const { sealedApiToken } = settings;
    // An empty setting never makes anybody an administrator.
    const expected = sealedApiToken === '' ? '' : this.sealer.open(sealedApiToken, sealedFor.apiToken);
    if (expected === '' || !sameText(token, expected)) {
      this.security.report(refusedToken(token, this.tokens.flawOf(token), origin()));
      throw new DomainError('token-invalidated');
    }
    this.security.report(usedApiToken(origin()));
    return { ...(await this.#account(ADMIN_ID, shows)), by: 'api-token' };
  }

  /** Like `identify`, for a session whose streams are all at hand at their true state; else undefined. */
  identifyNow(authorization: string | undefined, shows: Shows): Caller | undefined {
    const claims = this.tokens.read(withoutScheme(authorization ?? ''));
    const loaded = claims && this.loader.loadNow(...sessionRefs(claims, shows));
    return loaded && !this.#mayBeCompacted(claims, loaded) ? this.#callerOf(claims, loaded) : undefined;
  }

  async #session(claims: TokenClaims, shows: Shows): Promise<Caller> {
    const loaded = await this.loader.load(...sessionRefs(claims, shows));
    if (this.#mayBeCompacted(claims, loaded) && (await this.#hadNoEnd(claims))) throw new DomainError('token-expired');
    return this.#callerOf(claims, loaded);
  }

  /** Long after a token has expired nothing is left of its session. */
  #mayBeCompacted(claims: TokenClaims, [session]: LoadedSession): boolean {
    return session.state.status === 'absent' && this.#isExpired(claims);
  }

  /** Whether a compacted session had expired and not been ended before: the void commits that are left of it tell by their number. */
  async #hadNoEnd({ sub, jti }: TokenClaims): Promise<boolean> {
    const session = sessionStream(jti, Number(sub));
    try {
      const [left] = await this.loader.load({ ...session, stream: voidStreamOf(session.stream) });
      return left.version === 1;
    } catch (error) {
      // Read while it was compacted, a second commit without the first: it had been ended.
      if (error instanceof UnfoldableStream) return false;
      throw error;
    }
  }

  #isExpired({ exp }: Pick<TokenClaims, 'exp'>): boolean {
    return this.clock.now() >= exp * 1000;
  }

  /** Where the token and its session differ, the earlier end counts. */
  #timeliness({ exp, nbf }: TokenClaims, { expiresAt }: Session): Timeliness {
    if (this.#isExpired({ exp: Math.min(exp, expiresAt) })) return 'expired';
    return this.clock.now() < (nbf - CLOCK_SKEW) * 1000 ? 'early' : 'timely';
  }

  #callerOf(claims: TokenClaims, [session, account, ring, use]: LoadedSession): Caller {
    const { sub, jti, username } = claims;
    const timeliness = this.#timeliness(claims, session.state);
    const reason = refusal(session.state, timeliness, account.state, Number(sub), username);
    if (reason) throw new DomainError(reason);
    const keys = ring && use ? { ring: ring.state, use: use.state } : undefined;
    return { account: account.state, keys, by: 'session', sessionId: jti };
  }

  async #account(accountId: number, shows: Shows): Promise<Pick<Caller, 'account' | 'keys'>> {
    if (shows === 'account') {
      const [{ state: account }] = await this.loader.load(accountStream(accountId));
      return { account };
    }
    const [account, ring, use] = await this.loader.load(
      accountStream(accountId),
      sshKeyRingStream(accountId),
      sshKeyUseStream(accountId),
    );
    return { account: account.state, keys: { ring: ring.state, use: use.state } };
  }
}

type Timeliness = 'early' | 'timely' | 'expired';
type LoadedSession = readonly [Loaded<Session>, Loaded<Account>, Loaded<SshKeyRing>?, Loaded<SshKeyUse>?];
type SessionRefs = readonly [
  StreamRef<Session>,
  StreamRef<Account>,
  ...([StreamRef<SshKeyRing>, StreamRef<SshKeyUse>] | []),
];

/** Tokens come many times: the names of their streams are made once for as long as their claims are kept. */
const refsOf: Readonly<Record<Shows, WeakMap<TokenClaims, SessionRefs>>> = {
  account: new WeakMap(),
  keys: new WeakMap(),
};

/** Everything that a request with this token looks at, so that it is one round trip. */
function sessionRefs(claims: TokenClaims, shows: Shows): SessionRefs {
  const known = refsOf[shows].get(claims);
  if (known) return known;
  const refs = newSessionRefs(claims, shows);
  refsOf[shows].set(claims, refs);
  return refs;
}

function newSessionRefs({ sub, jti }: TokenClaims, shows: Shows): SessionRefs {
  const accountId = Number(sub);
  const session = sessionStream(jti, accountId);
  const account = accountStream(accountId);
  return shows === 'account'
    ? [session, account]
    : [session, account, sshKeyRingStream(accountId), sshKeyUseStream(accountId)];
}

function refusal(
  session: Session,
  timeliness: Timeliness,
  account: Account,
  accountId: number,
  username: string,
): DomainErrorCode | undefined {
  if (session.status !== 'active' || session.accountId !== accountId) return 'token-invalidated';
  if (timeliness === 'expired') return 'token-expired';
  if (timeliness === 'early') return 'token-not-active';
  if (account.status !== 'active' || account.username !== username) return 'account-not-found-for-token';
  if (account.credential !== session.credential) return 'password-changed';
  if (account.disabled) return 'account-disabled';
  return undefined;
}

/** The original takes the bare token; other clients write `Bearer` before it (AlistGo/alist#7888). */
const withoutScheme = (header: string) => (header.startsWith('Bearer ') ? header.slice(7).trim() || 'Bearer' : header);

const digest = (text: string) => createHash('sha256').update(text).digest();
const sameText = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
