import { Injectable, mixin, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CallerIdentifier, requireAdmin, requireKeyHolder, type Caller, type CallerScope } from '@keyfold/application';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { originOf } from '../request/request-reading.js';

/** Creates a guard that sets `request.caller`. `check` throws if the route refuses the caller. */
function callerGuard(scope: CallerScope, check?: (caller: Caller) => void) {
  @Injectable()
  class CallerGuard implements CanActivate {
    constructor(private readonly callers: CallerIdentifier) {}

    canActivate(context: ExecutionContext): boolean | Promise<boolean> {
      const request = context.switchToHttp().getRequest<KeyfoldRequest>();
      const { authorization } = request.headers;
      const accept = (caller: Caller) => {
        check?.(caller);
        request.caller = caller;
        return true;
      };
      // Most sessions are cached, and a synchronous answer saves every such request a promise.
      const cached = this.callers.identifyCached(authorization, scope);
      if (cached) return accept(cached);
      return this.callers.identify(authorization, scope, () => originOf(request)).then(accept);
    }
  }
  return mixin(CallerGuard);
}

/** Accepts every caller, including the enabled guest. */
export const CallerGuard = callerGuard('account');

/** Accepts every caller except the guest, who cannot have keys. Runs before the body is read (wire contract 2.5). */
export const KeyHolderGuard = callerGuard('account', requireKeyHolder);

/** Like `KeyHolderGuard`, and loads the caller's SSH keys in the same round trip. */
export const KeyHolderWithKeysGuard = callerGuard('keys', requireKeyHolder);

/** Accepts administrators only. */
export const AdminGuard = callerGuard('account', requireAdmin);
