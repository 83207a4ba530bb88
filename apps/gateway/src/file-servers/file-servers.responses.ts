import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { envelopeSchema } from '../openapi/api-envelope.decorator.js';

/** The longest user name, as in the question of other services over RabbitMQ. */
export const NAME_LETTERS = 4_096;

/** An account that may log in. */
export class AccountResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ description: 'The folder of the account, below the root of the site.' }) base_path!: string;
  @ApiProperty({ type: 'integer', description: 'The permission bits.' }) permission!: number;
}

/** Documents the answer to an accepted request: HTTP 200 with an envelope around the data. */
export const ApiAnswer = (data: Type): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(data),
    ApiOkResponse({ description: 'The answer.', schema: envelopeSchema({ $ref: getSchemaPath(data) }) }),
  );
