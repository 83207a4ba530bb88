import { ApiProperty } from '@nestjs/swagger';
import { accessTokenKind } from '@keyfold/application';
import { accessTokenScopes, isAdminScope, type AccessTokenScope } from '@keyfold/domain';
import { ArrayMaxSize, ArrayNotEmpty, ArrayUnique, IsIn } from 'class-validator';
import { secretController } from './secret.controller.js';
import { NULLABLE_TIME, SecretExpiry, SecretId, SecretName, StepUpRequest } from './secret.requests.js';

const scopesOfEverybody = accessTokenScopes.filter((scope) => !isAdminScope(scope)).map((scope) => `\`${scope}\``);

class CreateAccessTokenRequest extends StepUpRequest {
  @SecretName('tokens') name = '';

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...accessTokenScopes] },
    minItems: 1,
    uniqueItems: true,
    description: `What the token may be used for. Only administrators can give others than ${scopesOfEverybody.join(', ')}.`,
  })
  @ArrayNotEmpty()
  @ArrayMaxSize(accessTokenScopes.length)
  @ArrayUnique()
  @IsIn(accessTokenScopes, { each: true })
  scopes: AccessTokenScope[] = [];

  @SecretExpiry('token') expires: string | null = null;
}

class RevokeAccessTokenRequest {
  @SecretId('token', 'an access token') id = 0;
}

class AccessTokenResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() name!: string;
  @ApiProperty({ type: [String], description: 'What the token may be used for. More values may be added.' })
  scopes!: string[];
  @ApiProperty({ format: 'date-time' }) created!: string;
  @ApiProperty({ ...NULLABLE_TIME, description: 'Null if the token never expires.' }) expires!: string | null;
  @ApiProperty({ ...NULLABLE_TIME, description: 'To within some minutes; null if the token was never used.' })
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

export const AccessTokenController = secretController({
  kind: accessTokenKind,
  paths: { own: '/api/me/tokens', any: '/api/admin/token' },
  words: { id: 'AccessToken', name: 'access token', short: 'token' },
  descriptions: {
    list:
      'Returns the tokens, oldest first. An expired token is shown until it is revoked, a new token has its name, or a ' +
      'new token would exceed the limit of 100.',
    create:
      'Creates a token for a program and returns it, once. It works like the token of a session, but only for its scopes, ' +
      'and it needs no second factor. It continues to work after a rename and a password change. Needs a session.',
    revoke: 'Refuses the token from then on. The token of another account is refused like an unknown one.',
  },
  refusals: { own: ['guest-has-no-tokens'], create: ['session-required', 'access-token-scope-of-admins'] },
  requests: { create: CreateAccessTokenRequest, revoke: RevokeAccessTokenRequest },
  responses: { listed: AccessTokenResponse, created: NewAccessTokenResponse, page: AccessTokenPageResponse },
  fields: { text: 'token', secrets: 'tokens' },
  detailsOf: ({ scopes }) => ({ scopes }),
});
