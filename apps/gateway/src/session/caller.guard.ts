import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CallerIdentifier, requireAdmin, requireKeyHolder, type Shows } from '@keyfold/application';
import type { KeyfoldRequest } from '../request/keyfold-request.js';

/** Most requests come with a session that is at hand; those need not wait. */
function identify(callers: CallerIdentifier, context: ExecutionContext, shows: Shows): boolean | Promise<boolean> {
  const request = context.switchToHttp().getRequest<KeyfoldRequest>();
  const { authorization } = request.headers;
  request.caller = callers.identifyNow(authorization, shows);
  if (request.caller) return true;
  return callers.identify(authorization, shows).then((caller) => {
    request.caller = caller;
    return true;
  });
}

/** Lets requests through that speak for somebody, the enabled guest included, and says for whom. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly callers: CallerIdentifier) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return identify(this.callers, context, 'account');
  }
}

/** Like the caller guard, for answers that show the caller's keys: they are loaded in the same round trip. */
@Injectable()
export class CallerWithKeysGuard implements CanActivate {
  constructor(private readonly callers: CallerIdentifier) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return identify(this.callers, context, 'keys');
  }
}

/** Behind the caller guard: the guest is told that it has no keys before its body is looked at (wire contract 2.5). */
@Injectable()
export class KeyHolderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    requireKeyHolder(context.switchToHttp().getRequest<KeyfoldRequest>().caller!);
    return true;
  }
}

/** Like the caller guard, for administrators only. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly callers: CallerIdentifier) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<KeyfoldRequest>();
    request.caller = await this.callers.identify(request.headers.authorization, 'account');
    requireAdmin(request.caller);
    return true;
  }
}
