import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { accessTokenRefused, requireScope, type CallerIdentifier, type SecurityLog } from '@keyfold/application';
import { DomainError, type AccessTokenScope } from '@keyfold/domain';
import { Fault, refusalFor } from '@keyfold/http-envelope';
import { isAccessTokenForm } from '@keyfold/security';
import type { FastifyReply, RouteOptions } from 'fastify';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { originOf } from '../request/request-reading.js';
import { GUARD_REFUSALS } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that callers of a route of the servers port need. */
    scope?: AccessTokenScope;
    /** What a route of the servers port has instead of the common limits: bytes of a body, milliseconds until the answer. */
    limits?: Pick<RouteOptions, 'bodyLimit' | 'handlerTimeout'>;
  }
}

const REFUSALS = ['token-invalidated', 'token-expired', 'account-not-found-for-token', 'account-disabled'] as const;

/** Declares the scope of a route of the servers port, and its limits if they differ from the common ones. */
export const NeedsScope = (
  scope: AccessTokenScope,
  limits: Pick<RouteOptions, 'bodyLimit' | 'handlerTimeout'> = {},
): MethodDecorator =>
  applyDecorators(
    RouteConfig({ scope, limits }),
    TakesAccessToken(scope),
    ApiSecurity('token'),
    ApiExtension(GUARD_REFUSALS, REFUSALS),
  );

/** Checks the tokens of file servers. */
export class ServerTokenGuard {
  constructor(
    private readonly callers: CallerIdentifier,
    private readonly security: SecurityLog,
  ) {}

  /** Accepts an access token with the scope of the route and refuses everything else: sessions and the static token can do too much. */
  async check(request: KeyfoldRequest, reply: FastifyReply): Promise<void> {
    const { scope } = request.routeOptions.config;
    if (scope === undefined) return;
    const { authorization = '' } = request.headers;
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    try {
      if (!isAccessTokenForm(token)) throw this.#noAccessToken(scope, request);
      const caller =
        this.callers.identifyCached(token, 'account') ??
        (await this.callers.identify(token, 'account', () => originOf(request)));
      requireScope(caller, scope);
      request.caller = caller;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'access-token-scope-missing') throw error;
      const refusal = error instanceof DomainError ? new Fault(401, refusalFor(error).message) : error;
      if (refusal instanceof Fault && refusal.status === 401) reply.header('www-authenticate', 'Bearer');
      throw refusal;
    }
  }

  #noAccessToken(scope: AccessTokenScope, request: KeyfoldRequest): Fault {
    if (request.headers.authorization !== undefined) this.security.report(accessTokenRefused(originOf(request)));
    return new Fault(401, `send an access token with the scope ${scope} as "Authorization: Bearer kf_…"`);
  }
}
