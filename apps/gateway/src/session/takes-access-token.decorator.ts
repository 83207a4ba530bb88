import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { AccessTokenScope } from '@keyfold/domain';

/** The extension that carries the scope of a route to `completeDocument`, which removes it. */
export const TOKEN_SCOPE = 'x-access-token-scope';

/** Lets access tokens with this scope use a route that a caller guard guards. Without it, the guard refuses every access token. */
export const TakesAccessToken = (scope: AccessTokenScope): MethodDecorator =>
  applyDecorators(SetMetadata(TOKEN_SCOPE, scope), ApiExtension(TOKEN_SCOPE, scope));

/** Returns the scope that an access token needs for the route of this handler; undefined if the route takes none. */
export const scopeOf = (handler: object): AccessTokenScope | undefined =>
  Reflect.getMetadata(TOKEN_SCOPE, handler) as AccessTokenScope | undefined;
