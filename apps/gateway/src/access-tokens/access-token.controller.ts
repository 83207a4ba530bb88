import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  CreateOwnAccessTokenCommand,
  ListOwnAccessTokensQuery,
  RevokeOwnAccessTokenCommand,
} from '@keyfold/application';
import { arrayResponse, instantOf, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNACCEPTED_BODY } from '../openapi/refusal-table.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, checkedBodyOf } from '../request/request-reading.js';
import { CallerGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { CreateAccessTokenRequest, RevokeAccessTokenRequest } from './access-token.requests.js';
import {
  accessTokenResponse,
  AccessTokenResponse,
  newAccessTokenResponse,
  NewAccessTokenResponse,
} from './access-token.responses.js';

@ApiTags('access tokens')
@Controller('api/me/tokens')
@GuardedBy(CallerGuard)
export class AccessTokenController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get()
  @ApiRoute({
    id: 'listAccessTokens',
    summary: "List the caller's access tokens",
    description:
      'Returns the tokens, oldest first. An expired token is shown until it is revoked, a new token has its name, or a ' +
      'new token needs its place among the 100 of the account.',
    refusals: ['guest-has-no-tokens'],
  })
  @ApiExtraModels(AccessTokenResponse)
  @ApiEnvelope({ schema: { type: 'array', items: { $ref: getSchemaPath(AccessTokenResponse) } } })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const tokens = await this.queryBus.execute(new ListOwnAccessTokensQuery(callerOf(request)));
    return arrayResponse(tokens, accessTokenResponse);
  }

  @Post()
  @HttpCode(200)
  @ApiRoute({
    id: 'createAccessToken',
    summary: 'Create an access token',
    description:
      'Creates a token for a program and returns it, once. It works like the token of a session, but only for its scopes, ' +
      'and it needs no second factor. It continues to work after a rename and a password change. Needs a session.',
    refusals: [
      ...UNACCEPTED_BODY,
      'guest-has-no-tokens',
      'session-required',
      'access-token-scope-of-admins',
      'access-token-name-too-long',
      'access-token-expiry-invalid',
      'access-token-name-taken',
      'access-token-limit-reached',
    ],
    idempotent: 'shown once',
  })
  @ApiBody({ type: CreateAccessTokenRequest })
  @ApiEnvelope({ model: NewAccessTokenResponse })
  async create(@Req() request: KeyfoldRequest): Promise<NewAccessTokenResponse> {
    const { name, scopes, expires } = checkedBodyOf(CreateAccessTokenRequest, request);
    const input = { name, scopes, expiresAt: expires === null ? null : (instantOf(expires) ?? 0) };
    const caller = callerOf(request);
    const created = await this.commands.executeShownOnce(
      request,
      (origin) => new CreateOwnAccessTokenCommand(caller, input, origin),
    );
    return newAccessTokenResponse(created);
  }

  @Post('revoke')
  @HttpCode(200)
  @ApiRoute({
    id: 'revokeAccessToken',
    summary: "Revoke one of the caller's access tokens",
    description: 'Refuses the token from then on. The token of another account is refused like an unknown one.',
    refusals: [...UNACCEPTED_BODY, 'guest-has-no-tokens', 'access-token-not-found'],
    idempotent: true,
  })
  @ApiBody({ type: RevokeAccessTokenRequest })
  @ApiEnvelope()
  revoke(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAccessTokenRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeOwnAccessTokenCommand(caller, id, origin));
  }
}
