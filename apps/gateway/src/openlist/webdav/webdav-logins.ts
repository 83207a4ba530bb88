import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CallerIdentifier, CheckFileServerLoginCommand, type Caller, type Origin } from '@keyfold/application';
import { DomainError, mayLogInOver, type Account } from '@keyfold/domain';
import { Fault } from '@keyfold/http-envelope';
import { accountStream, StreamLoader, type Loaded } from '@keyfold/projections';
import { RememberedLogins, type BasicLogin } from './remembered-logins.js';

/** The challenge of OpenList. Clients may show the name to their user. */
export const CHALLENGE = 'Basic realm="openlist"';

const refused = () => new Fault(401, 'the name or the password is wrong');
/** As in OpenList: another password would not help. */
const notPermitted = () => new Fault(403, 'the account is disabled or may not use WebDAV');

/** Identifies WebDAV clients, which send a name and a password with every request. */
@Injectable()
export class WebDavLogins {
  readonly #remembered = new RememberedLogins();
  /** Checks that run, by address and login: a client opens several connections at once. */
  readonly #running = new Map<string, Promise<Account>>();

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
  async callerOf(authorization: string | undefined, address: string, origin: () => Origin): Promise<Caller> {
    const login = basicLogin(authorization ?? '');
    if (login) return this.#byPassword(login, address, origin());
    if (!authorization?.startsWith('Bearer ')) throw refused();
    const caller = await this.callers.identify(authorization, 'account', origin).catch(asRefusal);
    if (caller.by !== 'static-token') throw refused();
    return caller;
  }

  async #byPassword(login: BasicLogin, address: string, origin: Origin): Promise<Caller> {
    const known = this.#remembered.accountOf(login);
    if (known !== undefined) {
      const account = await this.#load(known);
      if (this.#remembered.holds(login, account.state)) return callerFor(account);
    }
    const { accountId } = await this.#checkOnce(login, address, origin);
    const account = await this.#load(accountId);
    // It may have changed since the check.
    if (account.state.status !== 'active') throw refused();
    if (!mayEnter(account.state)) throw notPermitted();
    return callerFor(account);
  }

  #checkOnce(login: BasicLogin, address: string, origin: Origin): Promise<Account> {
    const key = `${address} ${this.#remembered.keyOf(login)}`;
    const running = this.#running.get(key);
    if (running) return running;
    const check = this.#check(login, address, origin).finally(() => this.#running.delete(key));
    this.#running.set(key, check);
    return check;
  }

  async #check(login: BasicLogin, address: string, origin: Origin): Promise<Account> {
    // An empty code: with two-factor, only app passwords open WebDAV.
    const asked = { protocol: 'webdav', ...login, code: '', address, origin } as const;
    const checked = await this.commandBus.execute(new CheckFileServerLoginCommand(asked));
    if (checked === 'not permitted') throw notPermitted();
    if (checked === 'code required') throw new Fault(401, 'two-factor is on: WebDAV needs an app password');
    if (checked === 'refused') throw refused();
    if (checked.factors.includes('password')) this.#remembered.add(login, checked.account);
    return checked.account;
  }

  async #load(accountId: number): Promise<Loaded<Account>> {
    const [account] = await this.loader.load(accountStream(accountId));
    return account;
  }
}

const mayEnter = ({ disabled, permission }: Account) => !disabled && mayLogInOver('webdav', permission);

const callerFor = ({ state, version }: Loaded<Account>): Caller => ({
  account: state,
  accountVersion: version,
  by: 'session',
});

function asRefusal(error: unknown): never {
  throw error instanceof DomainError ? refused() : error;
}

/** Reads a Basic login (RFC 7617). The name ends at the first colon. */
function basicLogin(authorization: string): BasicLogin | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
