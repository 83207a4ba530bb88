import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { DECORATORS } from '@nestjs/swagger';
import { accessTokenScopes, impliedScope, isAdminScope, type AccessTokenScope } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { FileServersModule } from '../../apps/gateway/src/file-servers/file-servers.module.js';
import { GatewayModule } from '../../apps/gateway/src/gateway.module.js';
import { forwardingRows } from '../../apps/gateway/src/openlist/forwarding-table.js';
import { TOKEN_SCOPE } from '../../apps/gateway/src/request/caller.guard.js';
import { apiSettings } from '../../libs/process/src/settings/settings.js';
import { expectPage, table } from '../support/reference-page.js';

/**
 * A route as its decorators declare it. `scope` is what its document says, `needed` what the hook of the servers port checks. The guard of the
 * API checks `scope`.
 */
type DeclaredRoute = Readonly<{
  route: string;
  scope: AccessTokenScope | undefined;
  needed: AccessTokenScope | undefined;
  operation: Readonly<{ operationId: string; summary: string }> | undefined;
}>;

function routesOf({ controllers = [] }: Readonly<{ controllers?: readonly Type[] }>): DeclaredRoute[] {
  return controllers.flatMap(({ prototype }) => {
    const root = String(Reflect.getMetadata(PATH_METADATA, (prototype as { constructor: object }).constructor));
    const handlers = Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }) => value as object);
    return handlers
      .filter((handler) => typeof handler === 'function' && Reflect.hasMetadata(METHOD_METADATA, handler))
      .map((handler) => {
        const [method, path] = [METHOD_METADATA, PATH_METADATA].map(
          (key) => Reflect.getMetadata(key, handler) as never,
        );
        const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as { scope?: AccessTokenScope };
        return {
          route: `${RequestMethod[method!]} /${[root, path].join('/').split('/').filter(Boolean).join('/')}`,
          scope: Reflect.getMetadata(TOKEN_SCOPE, handler) as AccessTokenScope | undefined,
          needed: config?.scope,
          operation: Reflect.getMetadata(DECORATORS.API_OPERATION, handler) as DeclaredRoute['operation'],
        };
      });
  });
}

const api = routesOf(GatewayModule.forRoot([], z.object(apiSettings).parse({}), 1, []) as object);
const servers = routesOf(FileServersModule.forRoot({ get: () => undefined as never }, []) as object);

const code = (text: string) => `\`${text}\``;
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function rowsOf(wanted: AccessTokenScope): string[][] {
  const ofApi = api
    .filter(({ scope }) => scope === wanted)
    .map(({ route, operation }) => [`[${code(route)}](routes.md#${operation!.operationId.toLowerCase()})`, operation!]);
  const ofServers = servers
    .filter(({ needed }) => needed === wanted)
    .map(({ route, operation }) => [`${code(route)} of the [servers port](../connect/servers-port.md)`, operation]);
  const ofOpenList = forwardingRows
    .filter((row) => row.speaker !== undefined && row.scope === wanted)
    .map(({ paths, note }) => [
      `${paths.map(code).join(', ')} of [OpenList](forwarding.md)`,
      { summary: sentence(note) },
    ]);
  return [...ofApi, ...ofServers, ...ofOpenList].map(([route, operation]) => [
    code(wanted),
    isAdminScope(wanted) ? 'administrators' : 'everybody',
    String(route),
    (operation as Pick<NonNullable<DeclaredRoute['operation']>, 'summary'> | undefined)?.summary ?? 'Called by SFTPGo',
  ]);
}

const inclusions = accessTokenScopes
  .map((scope) => [scope, impliedScope(scope)] as const)
  .filter(([, implied]) => implied !== undefined)
  .map(([scope, implied]) => `${code(scope)} includes ${code(implied!)}.`);

const page = `# Scopes of access tokens

For those who create [access tokens](../use/tokens.md): every route that takes one, with the scope that it needs and who can give this scope to a token.
All other routes that need an account refuse access tokens. A token can never do more than its owner: routes for administrators need the token of
one. ${inclusions.join(' ')} This page is generated from the code by \`npm run docs\`.

${table(['scope', 'given by', 'route', 'does'], accessTokenScopes.flatMap(rowsOf))}
`;

it('the page of the scopes is what the routes of both ports declare', () => expectPage('reference/scopes.md', page));

it('every scope opens a route', () => {
  expect(accessTokenScopes.filter((scope) => rowsOf(scope).length === 0)).toEqual([]);
});

it('the servers port checks the scope that its document names, and the API has one declaration only', () => {
  const documented = servers.filter(({ operation }) => operation !== undefined);
  expect(documented.length).toBeGreaterThan(4);
  for (const { route, scope, needed } of documented) expect(needed, route).toBe(scope);
  expect(api.length).toBeGreaterThan(50);
  for (const { route, needed } of api) expect(needed, route).toBeUndefined();
});
