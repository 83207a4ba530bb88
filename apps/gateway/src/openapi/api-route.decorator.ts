import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
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
}>;

/** The extension that carries the refusals of a route to `completeDocument`, which removes it. */
export const ROUTE_REFUSALS = 'x-route-refusals';

/** Documents a route. The document gets a table of its refusals and its examples (see `completeDocument`). */
export const ApiRoute = ({ id, summary, description, refusals }: RouteDescription): MethodDecorator =>
  applyDecorators(ApiOperation({ operationId: id, summary, description }), ApiExtension(ROUTE_REFUSALS, refusals));
