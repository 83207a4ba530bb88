import { ApiProperty } from '@nestjs/swagger';
import { isoTime, type AccessTokenHolder, type ListedAccessToken, type NewAccessToken } from '@keyfold/application';

const nullableTime = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

/** An access token. Its text is never shown again. */
export class AccessTokenResponse {
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

/** A new access token. */
export class NewAccessTokenResponse extends AccessTokenResponse {
  @ApiProperty({ description: 'Send it in the `Authorization` header. Shown only once.' }) token!: string;
}

/** The access tokens of an account. */
export class AccessTokenHolderResponse {
  @ApiProperty({ type: 'integer' }) user_id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ type: [AccessTokenResponse] }) tokens!: AccessTokenResponse[];
}

/** A page of the accounts that have access tokens. */
export class AccessTokenPageResponse {
  @ApiProperty({ type: [AccessTokenHolderResponse] }) content!: AccessTokenHolderResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

export const accessTokenResponse = (token: ListedAccessToken): AccessTokenResponse => ({
  id: token.tokenId,
  name: token.name,
  scopes: [...token.scopes],
  created: isoTime(token.createdAt),
  expires: token.expiresAt === null ? null : isoTime(token.expiresAt),
  last_used: token.lastUsedAt === undefined ? null : isoTime(token.lastUsedAt * 1000),
  expired: token.isExpired,
});

export const newAccessTokenResponse = (token: NewAccessToken): NewAccessTokenResponse => ({
  ...accessTokenResponse(token),
  token: token.text,
});

export const accessTokenHolderResponse = ({
  accountId,
  username,
  secrets,
}: AccessTokenHolder): AccessTokenHolderResponse => ({
  user_id: accountId,
  username,
  tokens: secrets.map(accessTokenResponse),
});
