import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';

/** Documents the paging of lists (wire contract 2.9). */
export const ApiPaging = () =>
  applyDecorators(
    ApiQuery({
      name: 'page',
      required: false,
      schema: { type: 'integer', default: 1 },
      description: 'The number of the page.',
    }),
    ApiQuery({
      name: 'per_page',
      required: false,
      schema: { type: 'integer' },
      description: 'The size of a page. Unlimited if missing.',
    }),
  );
