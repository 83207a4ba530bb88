import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { accessTokenScopes, accountOfAccessToken, type AccessTokenScope } from '@keyfold/domain';
import { IsInstant } from '@keyfold/http-envelope';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsIn,
  IsOptional,
  Length,
  Matches,
  ValidateBy,
} from 'class-validator';

/** The fields of a new access token. */
export class CreateAccessTokenRequest {
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

const IsTokenId = () =>
  ValidateBy(
    {
      name: 'tokenId',
      validator: { validate: (value) => Number.isSafeInteger(value) && accountOfAccessToken(value as number) > 0 },
    },
    { message: '$property must be the id of an access token' },
  );

/** Names the token to revoke. */
export class RevokeAccessTokenRequest {
  @ApiProperty({ type: 'integer', description: 'The id of the token.' })
  @IsTokenId()
  id: number = 0;
}

const IsCount = () => Matches(/^[1-9]\d{0,8}$/, { message: '$property must be a positive integer' });

/** The part of the list of all access tokens to return. */
export class ListAccessTokensRequest {
  @IsCount() page = '1';
  @Matches(/^([1-9]\d{0,2}|1000)$/, { message: 'per_page must be an integer from 1 to 1000' }) per_page = '1000';
  @IsOptional() @IsCount() user_id?: string = undefined;
}

/** Documents the fields of `ListAccessTokensRequest`. */
export const ApiAccessTokenQuery = () =>
  applyDecorators(
    ApiQuery({
      name: 'page',
      required: false,
      schema: { type: 'integer', minimum: 1, default: 1 },
      description: 'The number of the page.',
    }),
    ApiQuery({
      name: 'per_page',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
      description: 'The maximum number of accounts on a page.',
    }),
    ApiQuery({
      name: 'user_id',
      required: false,
      schema: { type: 'integer', minimum: 1 },
      description: 'Lists the tokens of this account only.',
    }),
  );
