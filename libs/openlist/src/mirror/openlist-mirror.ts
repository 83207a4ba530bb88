import type { Caller } from '@keyfold/application';
import { GUEST_ID, ROLE_ADMIN, type Account, type OpenListUser, type SshKeyRing } from '@keyfold/domain';
import { accountStream, openlistUserStream, sshKeyRingStream, type StreamLoader } from '@keyfold/projections';
import { LRUCache } from 'lru-cache';
import { isDeepStrictEqual } from 'node:util';
import type { OpenListApi } from '../api/openlist-api.js';
import { MirrorBlocked, OpenListRefused, OpenListUnavailable } from '../api/openlist.errors.js';
import type { AccountTurns, RequireTurn } from './account-turns.js';
import { linkedUser } from './found-users.js';
import { LOGIN_SENT, NameHeld, type Mirror, type UserMirror } from './user-mirror.js';

/** Accounts whose mirror a process knows. */
const KNOWN = 10_000;
/** Milliseconds after a wrong login without another one for the account. */
const WRONG_LOGIN_PAUSE = 300_000;
/** Milliseconds in which OpenList executes a request whose answer was lost. Its databases wait up to 50 seconds for a lock. */
const LATE = 60_000;
/** The codes with which OpenList refuses a token or a password, and a login without a one-time code. */
const TOKEN_REFUSED = 401;
const CODE_MISSING = 402;
/** Names may be passed on in a chain: a change of one mirror needs another one to give up its name. An account may also change again and again. */
const ATTEMPTS = 5;

/**
 * The mirror of an account as this process knows it. `version` is that of the account which the mirror has, `linkVersion` that of the stream with its
 * password; `token` is missing until it is needed.
 */
type Known = {
  readonly version: number;
  readonly linkVersion: number;
  readonly isDisabled: boolean;
  readonly mirror: Mirror | undefined;
  token?: string | undefined;
};

/** The value of `Authorization` for WebDAV. It must be sent before `validUntil` (monotonic milliseconds): later, it may be a wrong login. */
export type WebDavLogin = Readonly<{ authorization: string; validUntil: number }>;

/** The caller whom a forwarded request speaks for. */
type ForwardedCaller = Pick<Caller, 'account' | 'accountVersion'>;

/**
 * The mirrors of the accounts in OpenList: each general account is a user there with the same name and rights and a password of its own, and the guest has
 * the rights of ours. The administrator is OpenList's own.
 *
 * Methods throw `OpenListUnavailable`, `MirrorBlocked` and the errors of the store.
 */
export class OpenListMirror {
  readonly #known = new LRUCache<number, Known>({ max: KNOWN });
  /** Accounts whose login was wrong. A second attempt within minutes could lock our address. */
  readonly #unusable = new LRUCache<number, true>({ max: KNOWN, ttl: WRONG_LOGIN_PAUSE });

  /** Accounts for which a request may arrive late. */
  readonly #late = new Map<number, NodeJS.Timeout>();

  constructor(
    readonly api: OpenListApi,
    private readonly loader: StreamLoader,
    private readonly turns: AccountTurns,
    private readonly users: UserMirror,
  ) {}

  /**
   * Returns the value of `Authorization` for a request of the caller, and undefined for the guest. The mirror is then at least as new as the account that
   * the caller was identified with.
   */
  authorizationOf(caller: ForwardedCaller): string | undefined | Promise<string | undefined> {
    const { account, accountVersion } = caller;
    if (account.role === ROLE_ADMIN) return this.api.administrator;
    const known = this.#known.get(account.accountId);
    if (known && known.version >= accountVersion) {
      if (account.accountId === GUEST_ID) return undefined;
      if (known.token !== undefined) return known.token;
    }
    return this.#tokenFor(account.accountId);
  }

  /** Like `authorizationOf`, after OpenList refused this value. */
  async renewedAuthorizationOf(caller: ForwardedCaller, refused: string): Promise<string | undefined> {
    const { accountId, role } = caller.account;
    if (role === ROLE_ADMIN) throw staticTokenRefused();
    const known = this.#known.get(accountId);
    if (known?.token === refused) this.#known.delete(accountId);
    return this.authorizationOf(caller);
  }

  /** Returns the login for WebDAV, where OpenList takes no tokens of users. */
  async webDavLoginOf(caller: ForwardedCaller): Promise<WebDavLogin> {
    const { accountId, role } = caller.account;
    if (role === ROLE_ADMIN) return { authorization: `Bearer ${this.api.administrator}`, validUntil: Infinity };
    const refs = [accountStream(accountId), openlistUserStream(accountId)] as const;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const validUntil = performance.now() + LOGIN_SENT;
      // A name or password that another process has replaced would be a wrong login.
      const [{ version }, { version: linkVersion }] = this.loader.loadNow(...refs) ?? (await this.loader.load(...refs));
      const known = this.#known.get(accountId);
      if (known && known.version >= version && known.linkVersion === linkVersion)
        return { authorization: basicOf(known.mirror), validUntil };
      await this.#upToDate(accountId);
    }
    throw new OpenListUnavailable('the account keeps changing');
  }

  /**
   * Like `webDavLoginOf`, after OpenList refused this value. A password that somebody changed there is replaced once in five minutes, because wrong
   * logins lock addresses.
   */
  async renewedWebDavLoginOf(caller: ForwardedCaller, refused: string): Promise<WebDavLogin> {
    const { accountId, role } = caller.account;
    if (role === ROLE_ADMIN) throw staticTokenRefused();
    this.#known.delete(accountId);
    const renewed = await this.webDavLoginOf(caller);
    // The guest has just got its password again.
    if (renewed.authorization !== refused || accountId === GUEST_ID) return renewed;
    this.#requireUsable(accountId);
    this.#unusable.set(accountId, true);
    await this.#inTurn(accountId, (requireTurn) => this.#takeAnew(accountId, requireTurn));
    return this.webDavLoginOf(caller);
  }

  /** Brings user and SSH keys of an account up to date, and deletes the user of a deleted account. */
  async carry(accountId: number): Promise<void> {
    await this.#inTurn(accountId, async (requireTurn) => {
      const [{ state: ring }] = await this.loader.load(sshKeyRingStream(accountId));
      const known = await this.#update(accountId, requireTurn);
      // A disabled user cannot add keys, and cannot use any. The guest has none.
      if (!known.mirror || known.isDisabled || accountId === GUEST_ID) return;
      await this.#updateKeys(accountId, known, known.mirror, ring, requireTurn);
    });
  }

  /** Makes a user of OpenList the mirror of an active account. */
  async adopt(accountId: number, userId: number): Promise<void> {
    await this.#inTurn(accountId, async (requireTurn) => {
      const [{ state: account }] = await this.loader.load(accountStream(accountId));
      const user = await this.api.user(userId);
      if (account.status !== 'active' || !user) throw new MirrorBlocked('the account or the user no longer exists');
      this.#known.delete(accountId);
      await this.users.take(account, user, requireTurn);
    });
    await this.carry(accountId);
  }

  /** Deletes a user with the mark of an account that is not its mirror, or whose account is gone. Any other user stays. */
  async removeSurplus(accountId: number, userId: number): Promise<void> {
    await this.#inTurn(accountId, async (requireTurn) => {
      const [{ state: account }, { state: link }] = await this.loader.load(
        accountStream(accountId),
        openlistUserStream(accountId),
      );
      if (account.status !== 'active' || link.userId !== userId)
        await this.users.remove({ ...link, accountId, userId }, requireTurn);
    });
  }

  /** Forgets what this process knows, so that the next request compares the mirror with OpenList. */
  forget(accountId: number): void {
    this.#known.delete(accountId);
  }

  async #tokenFor(accountId: number): Promise<string | undefined> {
    return this.#inTurn(accountId, async (requireTurn) => {
      const known = await this.#update(accountId, requireTurn);
      if (accountId === GUEST_ID) return undefined;
      if (!known.mirror) throw new MirrorBlocked('the account has no user in OpenList');
      return this.#tokenOf(accountId, known, known.mirror, requireTurn);
    });
  }

  #upToDate(accountId: number): Promise<Known> {
    return this.#inTurn(accountId, (requireTurn) => this.#update(accountId, requireTurn));
  }

  /** Compares the mirror with the current account unless this process knows that it is up to date. */
  async #update(accountId: number, requireTurn: RequireTurn): Promise<Known> {
    const ref = openlistUserStream(accountId);
    const [{ state: account, version }, { state: link, version: linkedAt }] = await this.loader.load(
      accountStream(accountId),
      ref,
    );
    const before = this.#known.get(accountId);
    if (before && before.version >= version && before.linkVersion === linkedAt) return before;
    const mirror = await this.#mirrorOf(account, accountId, link, requireTurn);
    // The mirror may have got another link.
    const [{ version: linkVersion }] = await this.loader.load(ref);
    const token = mirror && isUnchanged(mirror, before?.mirror) ? before?.token : undefined;
    const known = { version, linkVersion, isDisabled: account.disabled, mirror, token };
    this.#known.set(accountId, known);
    return known;
  }

  async #mirrorOf(
    account: Account,
    accountId: number,
    link: OpenListUser,
    requireTurn: RequireTurn,
  ): Promise<Mirror | undefined> {
    if (account.status !== 'active') return this.users.remove(link, requireTurn);
    if (account.role === ROLE_ADMIN) return undefined;
    if (accountId === GUEST_ID) return this.users.updateGuest(account, requireTurn);
    return this.users.update(account, link, requireTurn);
  }

  /**
   * Logs in unless there is a token. Nobody else changes name or password meanwhile, so the login is right, unless somebody changed the user in OpenList:
   * then it gets a new password, once.
   */
  async #tokenOf(accountId: number, known: Known, mirror: Mirror, requireTurn: RequireTurn): Promise<string> {
    if (known.token !== undefined) return known.token;
    this.#requireUsable(accountId);
    try {
      return (known.token = await this.api.logIn(mirror.fields.username, mirror.password));
    } catch (error) {
      if (!isWrongLogin(error)) throw error;
      this.#unusable.set(accountId, true);
      const token = await this.#logInAnew(accountId, requireTurn);
      this.#unusable.delete(accountId);
      return token;
    }
  }

  #requireUsable(accountId: number): void {
    if (this.#unusable.has(accountId)) throw new MirrorBlocked('OpenList refuses the login of the mirror');
  }

  async #logInAnew(accountId: number, requireTurn: RequireTurn): Promise<string> {
    const { fields, password } = await this.#takeAnew(accountId, requireTurn);
    try {
      return await this.api.logIn(fields.username, password);
    } catch (error) {
      throw isWrongLogin(error) ? new MirrorBlocked('OpenList refuses the login of the mirror') : error;
    }
  }

  /** Gives the mirror another password. */
  async #takeAnew(accountId: number, requireTurn: RequireTurn): Promise<Mirror> {
    this.#known.delete(accountId);
    const [{ state: account }, { state: link }] = await this.loader.load(
      accountStream(accountId),
      openlistUserStream(accountId),
    );
    const user = await linkedUser(this.api, link);
    if (account.status !== 'active' || !user) throw new MirrorBlocked('the account or the user no longer exists');
    return this.users.take(account, user, requireTurn);
  }

  async #updateKeys(
    accountId: number,
    known: Known,
    mirror: Mirror,
    ring: SshKeyRing,
    requireTurn: RequireTurn,
  ): Promise<void> {
    const authorization = () => this.#tokenOf(accountId, known, mirror, requireTurn);
    const update = () => this.users.updateKeys(mirror, ring, authorization, requireTurn);
    try {
      await update();
    } catch (error) {
      if (!(error instanceof OpenListRefused) || error.code !== TOKEN_REFUSED || known.token === undefined) throw error;
      known.token = undefined;
      await update();
    }
  }

  async #inTurn<Result>(accountId: number, work: (requireTurn: RequireTurn) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      this.api.availability.requireAnswers();
      try {
        return await this.turns.run(accountId, (requireTurn) => {
          // It may have become silent while others had the turn.
          this.api.availability.requireAnswers();
          return work(requireTurn);
        });
      } catch (error) {
        // Whatever this process knows may be wrong.
        if (!(error instanceof NameHeld)) this.#known.delete(accountId);
        if (mayBeExecuted(error)) this.#compareLater(accountId);
        if (error instanceof OpenListRefused)
          throw new OpenListUnavailable(`OpenList refuses a request with the code ${error.code}`, { cause: error });
        if (!(error instanceof NameHeld)) throw error;
        if (attempt === ATTEMPTS) throw new MirrorBlocked('the mirror of another account keeps the name');
        await this.#freeName(error);
      }
    }
  }

  /** A change that OpenList executes late may undo a newer one, so the mirror is compared again afterwards. */
  #compareLater(accountId: number): void {
    clearTimeout(this.#late.get(accountId));
    const timer = setTimeout(() => {
      this.#late.delete(accountId);
      this.#known.delete(accountId);
      this.carry(accountId).catch((error: unknown) => {
        if (!(error instanceof MirrorBlocked)) this.#compareLater(accountId);
      });
    }, LATE);
    this.#late.set(accountId, timer.unref());
  }

  async #freeName({ accountId, user }: NameHeld): Promise<void> {
    await this.turns.run(accountId, async (requireTurn) => {
      const [{ state: account }] = await this.loader.load(accountStream(accountId));
      this.#known.delete(accountId);
      await this.users.giveUpName(account, user, requireTurn).catch((error: unknown) => {
        if (mayBeExecuted(error)) this.#compareLater(accountId);
        throw error;
      });
    });
  }
}

/** Another process may have changed the mirror, and ended its tokens, since this one knew it. */
const isUnchanged = ({ changed, fields }: Mirror, before: Mirror | undefined): boolean =>
  !changed && before !== undefined && isDeepStrictEqual(fields, before.fields);

function basicOf(mirror: Mirror | undefined): string {
  if (!mirror) throw new MirrorBlocked('the account has no user in OpenList');
  const login = Buffer.from(`${mirror.fields.username}:${mirror.password}`);
  return `Basic ${login.toString('base64')}`;
}

const staticTokenRefused = () =>
  new OpenListUnavailable('OpenList refuses its static token. Check KEYFOLD_OPENLIST_TOKEN');

/** Returns whether the request was sent, and its answer lost. */
const mayBeExecuted = (error: unknown): boolean =>
  error instanceof OpenListUnavailable &&
  /^(UND_ERR|ECONNRESET|EPIPE)/.test((error.cause as NodeJS.ErrnoException | undefined)?.code ?? '');

const isWrongLogin = (error: unknown): boolean =>
  error instanceof OpenListRefused && (error.code === TOKEN_REFUSED || error.code === CODE_MISSING);
