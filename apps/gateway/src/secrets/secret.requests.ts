import type { ApiQueryOptions } from '@nestjs/swagger';
import { isoTime, type ListedSecret } from '@keyfold/application';
import { accountOfSecret } from '@keyfold/domain';
import { instantOf, offsetOf } from '@keyfold/http-envelope';
import { IsOptional, Matches, ValidateBy } from 'class-validator';

const IsCount = () => Matches(/^[1-9]\d{0,8}$/, { message: '$property must be a positive integer' });

/** The part of a list of accounts with their secrets to return. */
export class OwnerPageRequest {
  @IsCount() page = '1';
  @Matches(/^([1-9]\d{0,2}|1000)$/, { message: 'per_page must be an integer from 1 to 1000' }) per_page = '1000';
  @IsOptional() @IsCount() user_id?: string = undefined;
}

/** Returns the arguments of the query for a page. */
export function ownerPageOf({ page, per_page, user_id }: OwnerPageRequest): [number, number, number | undefined] {
  const paging = { page: Number(page), perPage: Number(per_page) };
  return [offsetOf(paging), paging.perPage, user_id === undefined ? undefined : Number(user_id)];
}

/** Describes the fields of `OwnerPageRequest` for a list of `secrets`, such as "tokens". */
export const ownerPageQuery = (secrets: string): readonly ApiQueryOptions[] => [
  {
    name: 'page',
    required: false,
    schema: { type: 'integer', minimum: 1, default: 1 },
    description: 'The number of the page.',
  },
  {
    name: 'per_page',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
    description: 'The maximum number of accounts on a page.',
  },
  {
    name: 'user_id',
    required: false,
    schema: { type: 'integer', minimum: 1 },
    description: `Lists the ${secrets} of this account only.`,
  },
];

/** Accepts the id of a named secret. `what` names it in the message. */
export const IsSecretId = (what: string): PropertyDecorator =>
  ValidateBy(
    {
      name: 'numberedId',
      validator: { validate: (value) => Number.isSafeInteger(value) && accountOfSecret(value as number) > 0 },
    },
    { message: `$property must be the id of ${what}` },
  );

/** Returns the expiry of a new secret in unix milliseconds; null if it never expires. */
export const expiryOf = (expires: string | null): number | null =>
  expires === null ? null : (instantOf(expires) ?? 0);

/** Returns a secret as answers show it. `details` are the fields that only its kind has. */
export const secretResponse = <Details>(
  { id, name, createdAt, expiresAt, lastUsedAt, isExpired }: ListedSecret<unknown>,
  details: Details,
) => ({
  id,
  name,
  ...details,
  created: isoTime(createdAt),
  expires: expiresAt === null ? null : isoTime(expiresAt),
  last_used: lastUsedAt === undefined ? null : isoTime(lastUsedAt * 1000),
  expired: isExpired,
});
