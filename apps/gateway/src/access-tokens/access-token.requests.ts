import { ApiProperty } from '@nestjs/swagger';
import { accessTokenScopes, accountOfAccessToken, type AccessTokenScope } from '@keyfold/domain';
import { IsInstant } from '@keyfold/http-envelope';
import { ArrayMaxSize, ArrayNotEmpty, ArrayUnique, IsIn, IsOptional, Length } from 'class-validator';
import { IsNumberedId } from '../request/is-numbered-id.decorator.js';

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

/** Names the token to revoke. */
export class RevokeAccessTokenRequest {
  @ApiProperty({ type: 'integer', description: 'The id of the token.' })
  @IsNumberedId(accountOfAccessToken, 'an access token')
  id: number = 0;
}
