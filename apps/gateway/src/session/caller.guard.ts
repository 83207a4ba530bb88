import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CallerIdentifier, requireAdmin, requireKeyHolder, type Shows } from '@keyfold/application';
import type { KeyfoldRequest } from '../request/keyfold-request.js';

const SHOWS = 'keyfold:shows';

/** The answer shows the caller's keys: they are loaded in the same round trip as the session and the account. */
export const ShowsKeys = () => SetMetadata(SHOWS, 'keys' satisfies Shows);

/** Lets requests through that speak for somebody, the enabled guest included, and says for whom. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly callers: CallerIdentifier,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<KeyfoldRequest>();
    const shows = this.reflector.get<Shows | undefined>(SHOWS, context.getHandler()) ?? 'account';
    request.caller = await this.callers.identify(request.headers.authorization, shows);
    return true;
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
