import { Injectable, mixin, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import {
  CallerIdentifier,
  refuseGuest,
  requireAdmin,
  requireScope,
  type Caller,
  type CallerPart,
} from '@keyfold/application';
import type { AccessTokenScope, DomainErrorCode } from '@keyfold/domain';
import { markProven } from '@keyfold/process';
import { originOf, type KeyfoldRequest } from './request-reading.js';

/** A guard with the codes of its refusals, in the order of its checks. */
export type CallerGuardClass = Type<CanActivate> & { readonly refusals: readonly DomainErrorCode[] };

/** The metadata of a handler with the scope that an access token needs for its route. */
export const TOKEN_SCOPE = 'access-token-scope';

const scopeOf = (handler: object) => Reflect.getMetadata(TOKEN_SCOPE, handler) as AccessTokenScope | undefined;

const UNIDENTIFIED = [
  'guest-disabled',
  'token-invalidated',
  'token-expired',
  'token-not-active',
  'account-not-found-for-token',
  'password-changed',
  'account-disabled',
] as const satisfies DomainErrorCode[];

/** A condition for an identified caller. `check` throws `refusal`. */
type Requirement = Readonly<{ check: (caller: Caller) => void; refusal: DomainErrorCode }>;

/** Creates a guard that sets `request.caller`. It refuses an access token without the scope that the route declares. */
function callerGuard(part: CallerPart, requirement?: Requirement): CallerGuardClass {
  @Injectable()
  class CallerGuard implements CanActivate {
    constructor(private readonly callers: CallerIdentifier) {}

    canActivate(context: ExecutionContext): boolean | Promise<boolean> {
      const request = context.switchToHttp().getRequest<KeyfoldRequest>();
      const { authorization } = request.headers;
      const accept = (caller: Caller) => {
        requirement?.check(caller);
        if (caller.accessToken) requireScope(caller, scopeOf(context.getHandler()));
        request.caller = caller;
        if (caller.by !== 'guest') markProven(request.raw.socket);
        return true;
      };
      // Most sessions are cached, and a synchronous answer saves every such request a promise.
      const cached = this.callers.identifyCached(authorization, part);
      if (cached) return accept(cached);
      return this.callers.identify(authorization, part, () => originOf(request)).then(accept);
    }
  }
  const refusals = requirement ? [...UNIDENTIFIED, requirement.refusal] : UNIDENTIFIED;
  return Object.assign(mixin(CallerGuard), { refusals });
}

/** Accepts every caller, including the enabled guest. */
export const CallerGuard = callerGuard('account');

const keyOwner: Requirement = {
  check: (caller) => refuseGuest(caller, 'guest-has-no-keys'),
  refusal: 'guest-has-no-keys',
};

/**
 * Accepts every caller except the guest, who cannot have keys. Loads the keys in the same round trip, so that a change is decided on what
 * other gateways have stored. Runs before the body is read (wire contract 2.5).
 */
export const KeyOwnerGuard = callerGuard('ring', keyOwner);

/** Like `KeyOwnerGuard`, for the lists of keys: they also show when each key was used. */
export const KeyListGuard = callerGuard('keys', keyOwner);

export const AdminGuard = callerGuard('account', { check: requireAdmin, refusal: 'not-an-admin' });
