import { Controller, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  accessTokenKind,
  CreateOwnSecretCommand,
  ListAnySecretsQuery,
  ListOwnSecretsQuery,
  RevokeAnySecretCommand,
  RevokeOwnSecretCommand,
  type AccountSecrets,
  type ListedSecret,
} from '@keyfold/application';
import { accessTokenScopes, type AccessToken, type AccessTokenScope } from '@keyfold/domain';
import { IsInstant, type PreparedResponse } from '@keyfold/http-envelope';
import { ArrayMaxSize, ArrayNotEmpty, ArrayUnique, IsIn, IsOptional, Length } from 'class-validator';
import { arrayResponse, listResponse } from '../http/list-response.js';
import { UNACCEPTED_BODY, UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { AdminGuard, CallerGuard } from '../request/caller.guard.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { callerOf, checkedBodyOf, checkedQueryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';
import {
  expiryOf,
  ownerPageOf,
  ownerPageQuery,
  OwnerPageRequest,
  IsSecretId,
  secretResponse,
} from './secret.requests.js';

class CreateAccessTokenRequest {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 100,
    description: 'Must be unique among the tokens of the account that have not expired.',
  })
  @Length(1, 100)
  name: string = '';

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...accessTokenScopes] },
    minItems: 1,
    uniqueItems: true,
    description: 'What the token may be used for. All but the first two are for administrators.',
  })
  @ArrayNotEmpty()
  @ArrayMaxSize(accessTokenScopes.length)
  @ArrayUnique()
  @IsIn(accessTokenScopes, { each: true })
  scopes: AccessTokenScope[] = [];

  @ApiProperty({
    oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
    required: false,
    description: 'When the token expires, at most ten years from now. If missing or null, it never expires.',
  })
  @IsOptional()
  @IsInstant()
  expires: string | null = null;
}

class RevokeAccessTokenRequest {
  @ApiProperty({ type: 'integer', description: 'The id of the token.' })
  @IsSecretId('an access token')
  id: number = 0;
}

const nullableTime = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

class AccessTokenResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() name!: string;
  @ApiProperty({ type: [String], description: 'What the token may be used for. More values may be added.' })
  scopes!: string[];
  @ApiProperty({ format: 'date-time' }) created!: string;
  @ApiProperty({ ...nullableTime, description: 'Null if the token never expires.' }) expires!: string | null;
  @ApiProperty({ ...nullableTime, description: 'To within some minutes; null if the token was never used.' })
  last_used!: string | null;
  @ApiProperty({ description: 'Whether the token has expired. It is refused, and shown until you revoke it.' })
  expired!: boolean;
}

class NewAccessTokenResponse extends AccessTokenResponse {
  @ApiProperty({ description: 'Send it in the `Authorization` header. Shown only once.' }) token!: string;
}

class AccessTokenHolderResponse {
  @ApiProperty({ type: 'integer' }) user_id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ type: [AccessTokenResponse] }) tokens!: AccessTokenResponse[];
}

class AccessTokenPageResponse {
  @ApiProperty({ type: [AccessTokenHolderResponse] }) content!: AccessTokenHolderResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

type Scopes = Pick<AccessToken, 'scopes'>;

const accessTokenResponse = (token: ListedSecret<Scopes>): AccessTokenResponse =>
  secretResponse(token, { scopes: [...token.scopes] });

const accessTokenHolderResponse = (owner: AccountSecrets<Scopes>): AccessTokenHolderResponse => ({
  user_id: owner.accountId,
  username: owner.username,
  tokens: owner.secrets.map(accessTokenResponse),
});

@ApiTags('access tokens')
@Controller()
export class AccessTokenController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/me/tokens', {
    id: 'listAccessTokens',
    summary: "List the caller's access tokens",
    description:
      'Returns the tokens, oldest first. An expired token is shown until it is revoked, a new token has its name, or a ' +
      'new token would exceed the limit of 100.',
    guard: CallerGuard,
    answer: [AccessTokenResponse],
    refusals: ['guest-has-no-tokens'],
  })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const tokens = await this.queryBus.execute(new ListOwnSecretsQuery(accessTokenKind, callerOf(request)));
    return arrayResponse(tokens, accessTokenResponse);
  }

  @Route('POST /api/me/tokens', {
    id: 'createAccessToken',
    summary: 'Create an access token',
    description:
      'Creates a token for a program and returns it, once. It works like the token of a session, but only for its scopes, ' +
      'and it needs no second factor. It continues to work after a rename and a password change. Needs a session.',
    guard: CallerGuard,
    body: CreateAccessTokenRequest,
    answer: NewAccessTokenResponse,
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
  async create(@Req() request: KeyfoldRequest): Promise<NewAccessTokenResponse> {
    const { name, scopes, expires } = checkedBodyOf(CreateAccessTokenRequest, request);
    const input = { name, scopes, expiresAt: expiryOf(expires) };
    const caller = callerOf(request);
    const created = await this.commands.executeShownOnce(
      request,
      (origin) => new CreateOwnSecretCommand(accessTokenKind, caller, input, origin),
    );
    return { ...accessTokenResponse(created), token: created.text };
  }

  @Route('POST /api/me/tokens/revoke', {
    id: 'revokeAccessToken',
    summary: "Revoke one of the caller's access tokens",
    description: 'Refuses the token from then on. The token of another account is refused like an unknown one.',
    guard: CallerGuard,
    body: RevokeAccessTokenRequest,
    answer: null,
    refusals: [...UNACCEPTED_BODY, 'guest-has-no-tokens', 'access-token-not-found'],
    idempotent: true,
  })
  revoke(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAccessTokenRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeOwnSecretCommand(accessTokenKind, caller, id, origin));
  }

  @Route('GET /api/admin/token/list', {
    id: 'listAnyAccessTokens',
    summary: 'List the access tokens of all accounts',
    description:
      'Returns the accounts that have access tokens by id, each with all its tokens. A page ends early when its entries take ' +
      '2 MiB; continue with the next page until page times `per_page` reaches `total`, which also counts accounts that were deleted ' +
      'since. For administrators.',
    guard: AdminGuard,
    query: ownerPageQuery('tokens'),
    answer: AccessTokenPageResponse,
    refusals: UNACCEPTED_QUERY,
  })
  async listAny(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const page = ownerPageOf(checkedQueryOf(OwnerPageRequest, request));
    const { items, total } = await this.queryBus.execute(new ListAnySecretsQuery(accessTokenKind, ...page));
    return listResponse(items, total, accessTokenHolderResponse);
  }

  @Route('POST /api/admin/token/revoke', {
    id: 'revokeAnyAccessToken',
    summary: 'Revoke any access token',
    description: 'Refuses the token from then on, whatever account it belongs to. For administrators.',
    guard: AdminGuard,
    body: RevokeAccessTokenRequest,
    answer: null,
    refusals: [...UNACCEPTED_BODY, 'access-token-not-found'],
    idempotent: true,
  })
  revokeAny(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAccessTokenRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeAnySecretCommand(accessTokenKind, caller, id, origin));
  }
}
