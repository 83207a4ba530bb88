import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { accountOfSecret } from '@keyfold/domain';
import { IsInstant } from '@keyfold/http-envelope';
import { IsOptional, IsString, Length, Matches, ValidateBy } from 'class-validator';

export const NULLABLE_TIME = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

/** The proof that the caller is the owner, for a login that is not recent. */
export class StepUpRequest {
  @ApiProperty({
    type: 'string',
    required: false,
    description:
      'The password of the account. If it is given, `otp_code` is ignored. Both are ignored if the login is recent.',
  })
  @IsOptional()
  @IsString()
  password: string | null = null;

  @ApiProperty({ type: 'string', required: false, description: 'A current one-time code, or a recovery code.' })
  @IsOptional()
  @IsString()
  otp_code: string | null = null;
}

/** Maximum length of the name of a secret, in characters. */
export const SECRET_NAME_LETTERS = 100;

/** Declares the name of a new secret. `secrets` names its kind in the plural. */
export const SecretName = (secrets: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'string',
      minLength: 1,
      maxLength: SECRET_NAME_LETTERS,
      description: `Must be unique among the ${secrets} of the account that have not expired.`,
    }),
    Length(1, SECRET_NAME_LETTERS),
  );

/** Declares the expiry of a new secret, null if it never expires. */
export const SecretExpiry = (secret: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      ...NULLABLE_TIME,
      required: false,
      description: `When the ${secret} expires, at most ten years from now. If missing or null, it never expires.`,
    }),
    IsOptional(),
    IsInstant(),
  );

/** Declares the id of a secret. `aSecret` completes the message "must be the id of …". */
export const SecretId = (secret: string, aSecret: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'integer', description: `The id of the ${secret}.` }),
    ValidateBy(
      {
        name: 'numberedId',
        validator: { validate: (value) => Number.isSafeInteger(value) && accountOfSecret(value as number) > 0 },
      },
      { message: `$property must be the id of ${aSecret}` },
    ),
  );

const COUNT = { type: 'integer', minimum: 1, required: false } as const;
const IsCount = () => Matches(/^[1-9]\d{0,8}$/, { message: '$property must be a positive integer' });

/** The part of a list of accounts with their secrets to return. */
export class OwnerPageRequest {
  @ApiProperty({ ...COUNT, default: 1, description: 'The number of the page.' })
  @IsCount()
  page = '1';

  @ApiProperty({ ...COUNT, maximum: 1000, default: 1000, description: 'The maximum number of accounts on a page.' })
  @Matches(/^([1-9]\d{0,2}|1000)$/, { message: 'per_page must be an integer from 1 to 1000' })
  per_page = '1000';

  @ApiProperty({ ...COUNT, description: 'Lists only those of this account.' })
  @IsOptional()
  @IsCount()
  user_id?: string = undefined;
}
