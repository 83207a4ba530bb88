import type { Caller, Origin } from '@keyfold/application';
import { traceparentOf } from '@keyfold/trace-context';
import { bindBody, parseQuery, Refusal, type BodyClass, type QueryParameters } from '@keyfold/http-envelope';
import { correlationsOf } from './client-correlation.js';
import type { KeyfoldRequest } from './keyfold-request.js';

// Plain functions instead of parameter decorators, which cost every request a round of Nest's pipes.

/** Who the request speaks for; the route must have a caller guard. */
export const callerOf = (request: KeyfoldRequest): Caller => request.caller!;

/** Which request and session a change belongs to, and the trace that the client says it belongs to. */
export function originOf(request: KeyfoldRequest): Origin {
  const { clientAddress: address, headers, caller } = request;
  const session = caller?.sessionId;
  const traceparent = traceparentOf(headers['traceparent']);
  return {
    ...correlationsOf(request),
    address,
    ...(session !== undefined && { session }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** The JSON body as an instance of the class (wire contract 1.9). Throws a Refusal 400. */
export const bodyOf = <T extends object>(Dto: BodyClass<T>, request: KeyfoldRequest): T =>
  bindBody(Dto, request.body, request.sentContentType);

/** Like `bodyOf` for routes that answer every problem of the body with one text. */
export function bodyOrRefusal<T extends object>(Dto: BodyClass<T>, request: KeyfoldRequest, refusal: string): T {
  try {
    return bodyOf(Dto, request);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(400, refusal) : error;
  }
}

/** In bytes; reading costs a millisecond for each three thousand. */
const LONGEST_QUERY = 16_384;

/** The query, read by hand as the original does (wire contract 1.9). Throws a Refusal 400 when it is too long. */
export function queryOf({ url }: KeyfoldRequest): QueryParameters {
  const start = url.indexOf('?');
  if (start < 0) return parseQuery('');
  if (url.length - start - 1 > LONGEST_QUERY) {
    throw new Refusal(400, `the query is too long: at most ${LONGEST_QUERY} bytes`);
  }
  return parseQuery(url.slice(start + 1));
}
