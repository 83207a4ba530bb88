import { Injectable } from '@nestjs/common';
import { CallerIdentifier, isAdmin, isGuest, requireAdmin, requireScope, type Caller } from '@keyfold/application';
import { DomainError, GUEST_ID } from '@keyfold/domain';
import { OpenListMirror } from '@keyfold/openlist';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { markProven } from '@keyfold/process';
import type { ForwardedRequest } from './forwarded-request.js';
import type { ForwardedRow } from './forwarding-table.js';
import { WebDavLogins, type WebDavCaller } from './webdav/webdav-logins.js';

/** Whom a request speaks for in OpenList. `caller` is absent if that does not depend on an account. */
export type Identity = Readonly<{
  authorization: string | undefined;
  caller?: WebDavCaller;
  /** The owner of `authorization`: OpenList's administrator, or a mirrored account. */
  secret?: 'static token' | 'mirror';
  /** Until when `authorization` may be sent, in monotonic milliseconds. */
  validUntil?: number;
}>;

const NOBODY: Identity = { authorization: undefined };
/** Signatures of S3 clients, made with keys that only OpenList knows. */
const SIGNATURE = /^AWS(4-HMAC-SHA256)? /;

/** Decides for whom a forwarded request speaks. */
@Injectable()
export class Identities {
  constructor(
    private readonly callers: CallerIdentifier,
    private readonly logins: WebDavLogins,
    private readonly loader: StreamLoader,
    private readonly mirror: OpenListMirror,
  ) {}

  /**
   * Returns the identity of a request. The mirror is then at least as new as the account with which the request was authorised.
   *
   * @throws DomainError or Fault with the reason why the request is refused; `OpenListUnavailable`; `MirrorBlocked`.
   */
  of(request: ForwardedRequest, row: ForwardedRow): Identity | Promise<Identity> {
    switch (row.speaker) {
      case 'nobody':
        return NOBODY;
      case 'signature': {
        const { authorization } = request.headers;
        return authorization !== undefined && SIGNATURE.test(authorization) ? { authorization } : NOBODY;
      }
      case 'login':
        return request.method === 'OPTIONS' && request.headers.authorization === undefined
          ? NOBODY
          : this.#ofLogin(request);
      case 'caller':
      case 'caller or nobody':
        // Browsers ask without a token whether they may send one.
        return isPreflight(request) ? NOBODY : this.#ofCaller(request, row);
    }
  }

  /**
   * Returns the identity after OpenList refused this one, which is that of a mirrored account. The caller may be refused by now.
   *
   * @throws as `of` does.
   */
  async renewed({ authorization }: Identity, request: ForwardedRequest, row: ForwardedRow): Promise<Identity> {
    if (row.speaker === 'login') {
      const caller = await this.#login(request);
      return identityOf(caller, await this.mirror.renewedWebDavLoginOf(caller, authorization!));
    }
    const identified = await this.callers.identify(request.headers.authorization, 'account', request.origin);
    const caller = accepted(identified, row, request);
    return identityOf(caller, { authorization: await this.mirror.renewedAuthorizationOf(caller, authorization!) });
  }

  /** Returns whether the caller of an identified request still has access. Neither a use nor an attempt is counted. */
  hasAccess(caller: WebDavCaller, { speaker }: ForwardedRow): Promise<boolean> {
    return speaker === 'login' ? this.logins.hasAccess(caller) : this.callers.hasAccess(caller);
  }

  #ofCaller(request: ForwardedRequest, row: ForwardedRow): Identity | Promise<Identity> {
    // Most sessions are cached, and so are the tokens of their mirrors.
    const cached = this.callers.identifyCached(request.headers.authorization, 'account');
    if (cached) return this.#mirrored(accepted(cached, row, request));
    return this.callers.identify(request.headers.authorization, 'account', request.origin).then(
      (caller) => this.#mirrored(accepted(caller, row, request)),
      (error) => {
        const isGuestDisabled = error instanceof DomainError && error.code === 'guest-disabled';
        if (row.speaker === 'caller or nobody' && isGuestDisabled) return this.#disabledGuest();
        throw error;
      },
    );
  }

  /** OpenList must know, too, that its guest is disabled. */
  async #disabledGuest(): Promise<Identity> {
    const [{ state: account, version: accountVersion }] = await this.loader.load(accountStream(GUEST_ID));
    return this.#mirrored({ account, accountVersion, by: 'guest' });
  }

  async #ofLogin(request: ForwardedRequest): Promise<Identity> {
    const caller = await this.#login(request);
    return identityOf(caller, await this.mirror.webDavLoginOf(caller));
  }

  async #login({ headers, clientAddress, origin, raw }: ForwardedRequest): Promise<WebDavCaller> {
    const caller = await this.logins.callerOf(headers.authorization, clientAddress, origin);
    if (!isGuest(caller)) markProven(raw.socket);
    return caller;
  }

  #mirrored(caller: Caller): Identity | Promise<Identity> {
    const found = this.mirror.authorizationOf(caller);
    return found instanceof Promise
      ? found.then((authorization) => identityOf(caller, { authorization }))
      : identityOf(caller, { authorization: found });
  }
}

/** As the guards of our own routes do. */
function accepted(caller: Caller, { scope, token }: ForwardedRow, { raw }: ForwardedRequest): Caller {
  requireScope(caller, scope);
  // Nobody else may make this service read settings.
  if (token) requireAdmin(caller);
  if (!isGuest(caller)) markProven(raw.socket);
  return caller;
}

const isPreflight = ({ method, headers }: ForwardedRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** The guest needs no token. */
const identityOf = (caller: WebDavCaller, value: Pick<Identity, 'authorization' | 'validUntil'>): Identity =>
  value.authorization === undefined
    ? NOBODY
    : { ...value, caller, secret: isAdmin(caller) ? 'static token' : 'mirror' };
