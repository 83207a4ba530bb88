import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CallerIdentifier, requireAdmin, requireKeyHolder, type Caller, type CallerScope } from '@keyfold/application';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { originOf } from '../request/request-reading.js';

/** Says for whom a request speaks; `check` throws for those that the route refuses. Most sessions are cached and need no wait. */
function identify(
  callers: CallerIdentifier,
  context: ExecutionContext,
  scope: CallerScope,
  check?: (caller: Caller) => void,
): boolean | Promise<boolean> {
  const request = context.switchToHttp().getRequest<KeyfoldRequest>();
  const { authorization } = request.headers;
  const accept = (caller: Caller) => {
    check?.(caller);
    request.caller = caller;
    return true;
  };
  const caller = callers.identifyCached(authorization, scope);
  return caller ? accept(caller) : callers.identify(authorization, scope, () => originOf(request)).then(accept);
}

/** Lets requests through that speak for somebody, the enabled guest included, and says for whom. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly callers: CallerIdentifier) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return identify(this.callers, context, 'account');
  }
}

/** Like the caller guard, for everybody but the guest, who has no keys and is told so before its body is looked at (wire contract 2.5). */
@Injectable()
export class KeyHolderGuard implements CanActivate {
  constructor(private readonly callers: CallerIdentifier) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return identify(this.callers, context, 'account', requireKeyHolder);
  }
}

/** Like the key holder guard, for answers that show the caller's keys: they are loaded in the same round trip. */
@Injectable()
export class KeyHolderWithKeysGuard implements CanActivate {
  constructor(private readonly callers: CallerIdentifier) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return identify(this.callers, context, 'keys', requireKeyHolder);
  }
}

/** Like the caller guard, for administrators only. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly callers: CallerIdentifier) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return identify(this.callers, context, 'account', requireAdmin);
  }
}
