import { ADMIN_ID, DomainError, GUEST_ID, type Account, type DomainErrorCode } from '@keyfold/domain';
import {
  accountStream,
  sessionStream,
  siteSettingsStream,
  sshKeyRingStream,
  sshKeyUseStream,
  StreamLoader,
} from '@keyfold/projections';
import { Sealer, TokenSigner, type TokenClaims } from '@keyfold/security';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Clock } from '../clock.js';
import { sealedFor } from '../sealed-for.js';
import type { Caller } from './caller.js';

/** `keys`: the answer shows the caller's SSH keys, so they are loaded in the same round trip. */
export type Shows = 'account' | 'keys';

/** Finds out who a request speaks for (docs/architecture.md), from the true state of the session and the account. */
export class CallerIdentifier {
  constructor(
    private readonly loader: StreamLoader,
    private readonly tokens: TokenSigner,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  /** Takes the `Authorization` header as it came. Throws a `DomainError` with the reason for which it speaks for nobody. */
  async identify(authorization: string | undefined, shows: Shows): Promise<Caller> {
    const token = withoutScheme(authorization ?? '');
    if (token === '') return this.#guest(shows);
    const claims = this.tokens.read(token);
    // A token that this service signed is never the static token, so the common case need not look at the settings.
    return claims ? this.#session(claims, shows) : this.#apiToken(token, shows);
  }

  async #guest(shows: Shows): Promise<Caller> {
    const { account, keys } = await this.#account(GUEST_ID, shows);
    if (account.disabled) throw new DomainError('guest-disabled');
    return { account, keys, by: 'guest' };
  }

  async #apiToken(token: string, shows: Shows): Promise<Caller> {
    const [{ state: settings }] = await this.loader.load(siteSettingsStream);
    const { sealedApiToken } = settings;
    // An empty setting never makes anybody an administrator.
    const expected = sealedApiToken === '' ? '' : this.sealer.open(sealedApiToken, sealedFor.apiToken);
    if (expected === '' || !sameText(token, expected)) throw new DomainError('token-invalidated');
    return { ...(await this.#account(ADMIN_ID, shows)), by: 'api-token' };
  }

  async #session({ sub, jti, username, exp }: TokenClaims, shows: Shows): Promise<Caller> {
    const accountId = Number(sub);
    const sessionRef = sessionStream(jti, accountId);
    const accountRef = accountStream(accountId);
    const [session, account, keys] =
      shows === 'account'
        ? await this.loader.load(sessionRef, accountRef)
        : await this.#withKeys(sessionRef, accountRef, accountId);
    const reason = refusal(
      { ...session.state, expired: this.clock.now() >= exp * 1000 },
      account.state,
      accountId,
      username,
    );
    if (reason) throw new DomainError(reason);
    return { account: account.state, keys, by: 'session', sessionId: jti };
  }

  async #withKeys(
    sessionRef: ReturnType<typeof sessionStream>,
    accountRef: ReturnType<typeof accountStream>,
    accountId: number,
  ) {
    const [session, account, ring, use] = await this.loader.load(
      sessionRef,
      accountRef,
      sshKeyRingStream(accountId),
      sshKeyUseStream(accountId),
    );
    return [session, account, { ring: ring.state, use: use.state }] as const;
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

type SessionFacts = { status: string; accountId: number; credential: number; expired: boolean };

function refusal(
  session: SessionFacts,
  account: Account,
  accountId: number,
  username: string,
): DomainErrorCode | undefined {
  if (session.status !== 'active' || session.accountId !== accountId) return 'token-invalidated';
  if (session.expired) return 'token-expired';
  if (account.status !== 'active' || account.username !== username) return 'account-not-found-for-token';
  if (account.credential !== session.credential) return 'password-changed';
  if (account.disabled) return 'account-disabled';
  return undefined;
}

/** The original takes the bare token; other clients write `Bearer` before it (AlistGo/alist#7888). */
const withoutScheme = (header: string) => (header.startsWith('Bearer ') ? header.slice(7).trim() || 'Bearer' : header);

const digest = (text: string) => createHash('sha256').update(text).digest();
const sameText = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
