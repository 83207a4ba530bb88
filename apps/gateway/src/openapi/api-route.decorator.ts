import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiOperation } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY } from '../request/idempotent-commands.js';
import type { RefusalName } from './refusal-table.js';

/** The parts of an operation that Nest cannot derive from its controller. */
export type RouteDescription = Readonly<{
  /** The operation id, which names the method of generated clients: camel case, starts with a verb. It never changes. */
  id: string;
  /** A title of a few words, without a full stop. */
  summary: string;
  /** The effect of the route, in Markdown. */
  description: string;
  /** The refusals in the order of their checks, without those of the guard. */
  refusals: readonly RefusalName[];
  /** Whether the route uses `IdempotentCommands`, and whether its answer is shown only once. */
  idempotent?: true | 'shown once';
}>;

/** The extension that carries the refusals of a route to `completeDocument`, which removes it. */
export const ROUTE_REFUSALS = 'x-route-refusals';

/** Documents a route. The document gets a table of its refusals and its examples (see `completeDocument`). */
export function ApiRoute({ id, summary, description, refusals, idempotent }: RouteDescription): MethodDecorator {
  return applyDecorators(
    ApiOperation({ operationId: id, summary, description }),
    ApiExtension(ROUTE_REFUSALS, [...refusals, ...keyRefusals(idempotent)]),
    ...(idempotent ? [ApiHeader(KEY_HEADER)] : []),
  );
}

function keyRefusals(idempotent: RouteDescription['idempotent']): RefusalName[] {
  if (!idempotent) return [];
  const always: RefusalName[] = ['idempotency-key-invalid', 'idempotency-key-reused'];
  return idempotent === true ? always : [...always, 'idempotency-key-spent'];
}

const KEY_HEADER = {
  name: IDEMPOTENCY_KEY,
  required: false,
  description:
    'A text that is unique for this request of the account, such as a UUID. A repeat of the request with the same key ' +
    'has no further effect. It gets the same answer, unless that is shown only once.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;
