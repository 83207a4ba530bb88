import { RouteConfig } from '@nestjs/platform-fastify';
import { accessTokenRefused, requireScope, type CallerIdentifier, type SecurityLog } from '@keyfold/application';
import type { AccessTokenScope } from '@keyfold/domain';
import { Refusal } from '@keyfold/http-envelope';
import { markProven } from '@keyfold/process';
import { isAccessTokenForm } from '@keyfold/security';
import type { RouteOptions } from 'fastify';
import { originOf, type KeyfoldRequest } from '../request/request-reading.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that callers of a route of the servers port need. */
    scope?: AccessTokenScope;
    /** The header with the token, for a route whose `Authorization` is that of a user. */
    tokenHeader?: string;
    /** The limits of a route of the servers port that differ from the common ones, in bytes and milliseconds. */
    limits?: Pick<RouteOptions, 'bodyLimit' | 'handlerTimeout'>;
  }
}

export const SERVER_TOKEN = {
  refusals: ['token-invalidated', 'token-expired', 'account-not-found-for-token', 'account-disabled'],
} as const;

/** For web servers, whose requests have the `Authorization` of a user: the token comes in a header of its own. */
export const WEB_SERVER_TOKEN = {
  ...SERVER_TOKEN,
  header: 'X-Keyfold-Token',
  security: { 'web-server': [], user: [] } as Record<string, string[]>,
} as const;

/**
 * Sets the scope that `ServerTokenGuard` requires for a route, the limits of the route if they differ from the common ones, and the header of the
 * token if it is not `Authorization`.
 */
export const NeedsScope = (
  scope: AccessTokenScope,
  limits: Pick<RouteOptions, 'bodyLimit' | 'handlerTimeout'> = {},
  tokenHeader?: string,
): MethodDecorator => RouteConfig({ scope, limits, ...(tokenHeader !== undefined && { tokenHeader }) });

/** Checks the tokens of file servers, in a hook of Fastify: guards of Nest run after the body was received. */
export class ServerTokenGuard {
  constructor(
    private readonly callers: CallerIdentifier,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Accepts an access token with the scope of the route, if the route names one.
   *
   * @throws Refusal 401 for everything else, because sessions and the static token can do too much; DomainError for a token that is not accepted
   */
  async check(request: KeyfoldRequest): Promise<void> {
    const { scope, tokenHeader } = request.routeOptions.config;
    if (scope === undefined) return;
    const sent = request.headers[tokenHeader?.toLowerCase() ?? 'authorization'];
    const token = tokenHeader === undefined ? bearerOf(sent) : sent;
    if (typeof token !== 'string' || !isAccessTokenForm(token)) {
      if (sent !== undefined) this.security.report(accessTokenRefused(originOf(request)));
      const form = tokenHeader === undefined ? 'Authorization: Bearer' : `${tokenHeader}:`;
      throw new Refusal(401, `send an access token with the scope ${scope} as "${form} kf_…"`);
    }
    const caller =
      this.callers.identifyCached(token, 'account') ??
      (await this.callers.identify(token, 'account', () => originOf(request)));
    requireScope(caller, scope);
    request.caller = caller;
    markProven(request.raw.socket);
  }
}

const bearerOf = (header: string | string[] | undefined) =>
  /^Bearer +(\S+)$/i.exec(typeof header === 'string' ? header : '')?.[1];
