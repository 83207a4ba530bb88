import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  CallerIdentifier,
  CheckFileServerLoginCommand,
  type Caller,
  type FileServerLogin,
  type Origin,
} from '@keyfold/application';
import { DomainError, mayLogInOver, type Account } from '@keyfold/domain';
import { Fault } from '@keyfold/http-envelope';
import { accountStream, appPasswordsStream, StreamLoader, type Loaded } from '@keyfold/projections';
import { appPasswordHash } from '@keyfold/security';
import { RememberedLogins, type BasicLogin } from './remembered-logins.js';

/** The challenge of OpenList. Clients may show the name to their user. */
export const CHALLENGE = 'Basic realm="openlist"';

const REFUSALS: Readonly<Record<Extract<FileServerLogin, string>, readonly [status: number, message: string]>> = {
  refused: [401, 'the name or the password is wrong'],
  // As in OpenList: another password would not help.
  'not permitted': [403, 'the account is disabled or may not use WebDAV'],
  'code required': [401, 'two-factor is on: WebDAV needs an app password'],
};
const faultFor = (refusal: keyof typeof REFUSALS) => new Fault(...REFUSALS[refusal]);

/** A caller over WebDAV. `appPassword` is the hash of the app password that was sent, if it was one. */
export type WebDavCaller = Caller & Readonly<{ appPassword?: string | undefined }>;

type Checked = Exclude<FileServerLogin, string>;

/** Identifies WebDAV clients, which send a name and a password with every request. */
@Injectable()
export class WebDavLogins {
  readonly #remembered = new RememberedLogins();
  /** Checks that run: a client opens several connections at once. */
  readonly #running = new Map<string, Promise<Checked>>();

  constructor(
    private readonly commandBus: CommandBus,
    private readonly callers: CallerIdentifier,
    private readonly loader: StreamLoader,
  ) {}

  /**
   * Returns the caller whom an `Authorization` header stands for: an account by its main password or an app password for WebDAV, or the static token after
   * `Bearer`.
   *
   * @throws Fault 401 or 403; `too-many-attempts`; `HashQueueFull`.
   */
  async callerOf(authorization: string | undefined, address: string, origin: () => Origin): Promise<WebDavCaller> {
    const login = basicLogin(authorization ?? '', address);
    if (login) return this.#byPassword(login, origin());
    if (!authorization?.startsWith('Bearer ')) throw faultFor('refused');
    const caller = await this.callers.identify(authorization, 'account', origin).catch(asRefusal);
    if (caller.by !== 'static-token') throw faultFor('refused');
    return caller;
  }

  /** Returns whether a caller with a password could still log in with it. Neither a use nor an attempt is counted. */
  async hasAccess({ account: then, appPassword }: WebDavCaller): Promise<boolean> {
    const { accountId, username, passwordGeneration } = then;
    const refs = [accountStream(accountId), appPasswordsStream(accountId)] as const;
    const [{ state: now }, { state: appPasswords }] = await this.loader.load(...refs);
    if (now.status !== 'active' || now.username !== username || !mayEnter(now)) return false;
    if (appPassword !== undefined) return appPasswords.secrets.some(({ hash }) => hash === appPassword);
    return now.passwordGeneration === passwordGeneration && !now.twoFactor;
  }

  async #byPassword(login: BasicLogin, origin: Origin): Promise<WebDavCaller> {
    const known = this.#remembered.accountOf(login);
    if (known !== undefined) {
      const account = await this.#load(known);
      if (this.#remembered.holds(login, account.state)) return callerFor(account);
    }
    const { account, factors } = await this.#checkOnce(login, origin);
    const appPassword = factors.includes('app-password') ? appPasswordHash(login.password) : undefined;
    // It may have changed since the check.
    const loaded = await this.#load(account.accountId);
    if (appPassword === undefined && loaded.state.passwordGeneration !== account.passwordGeneration)
      throw faultFor('refused');
    return callerFor(loaded, appPassword);
  }

  #checkOnce(login: BasicLogin, origin: Origin): Promise<Checked> {
    const key = this.#remembered.keyOf(login);
    const running = this.#running.get(key);
    if (running) return running;
    const check = this.#check(login, origin).finally(() => this.#running.delete(key));
    this.#running.set(key, check);
    return check;
  }

  async #check(login: BasicLogin, origin: Origin): Promise<Checked> {
    const onRightPassword = (account: Account) => this.#remembered.add(login, account);
    // An empty code: with two-factor, only app passwords open WebDAV.
    const asked = { protocol: 'webdav', ...login, code: '', origin, onRightPassword } as const;
    const checked = await this.commandBus.execute(new CheckFileServerLoginCommand(asked));
    if (typeof checked === 'string') throw faultFor(checked);
    return checked;
  }

  async #load(accountId: number): Promise<Loaded<Account>> {
    const [account] = await this.loader.load(accountStream(accountId));
    return account;
  }
}

const mayEnter = ({ disabled, permission }: Account) => !disabled && mayLogInOver('webdav', permission);

/** Returns the caller whose password or app password was right. */
function callerFor({ state, version }: Loaded<Account>, appPassword?: string): WebDavCaller {
  if (state.status !== 'active') throw faultFor('refused');
  if (!mayEnter(state)) throw faultFor('not permitted');
  if (state.twoFactor && appPassword === undefined) throw faultFor('code required');
  return { account: state, accountVersion: version, by: 'session', appPassword };
}

function asRefusal(error: unknown): never {
  throw error instanceof DomainError ? faultFor('refused') : error;
}

/** Reads a Basic login (RFC 7617). The name ends at the first colon. */
function basicLogin(authorization: string, address: string): BasicLogin | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1), address };
}
