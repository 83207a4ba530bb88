import { hasKeysLoaded, type Caller, type CallerWithKeys, type Origin } from '@keyfold/application';
import { traceparentOf } from '@keyfold/trace-context';
import {
  bindBody,
  checkedBody,
  checkedQuery,
  inputRefusal,
  parseQuery,
  QUERY_BYTES,
  Refusal,
  type BodyClass,
  type InputClass,
  type InputRefusal,
  type QueryParameters,
} from '@keyfold/http-envelope';
import { correlationsOf } from './client-correlation.js';
import type { KeyfoldRequest } from './keyfold-request.js';

// These are plain functions because each parameter decorator would run Nest's pipes once per request.

/**
 * Returns the caller that the guard of the route has identified.
 *
 * @throws Error if the route has no caller guard.
 */
export function callerOf({ caller }: KeyfoldRequest): Caller {
  if (!caller) throw new Error('the route has no caller guard');
  return caller;
}

/**
 * Returns the caller with the SSH keys that the guard of the route has loaded.
 *
 * @throws Error if the guard does not load keys.
 */
export function callerWithKeysOf(request: KeyfoldRequest): CallerWithKeys {
  const caller = callerOf(request);
  if (!hasKeysLoaded(caller)) throw new Error("the route's guard does not load the caller's keys");
  return caller;
}

/** Returns where a change comes from: the request, its address and session, and the trace context that the client sent. */
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

/**
 * Returns the JSON body as an instance of the class (wire contract 1.9).
 *
 * @throws Refusal 400 if the body is invalid.
 */
export const bodyOf = <T extends object>(Dto: BodyClass<T>, request: KeyfoldRequest): T =>
  bindBody(Dto, request.body, request.sentContentType);

/**
 * Returns the JSON body of a route that OpenList does not have, checked by the class.
 *
 * @throws Refusal 400 that names every wrong field.
 */
export const checkedBodyOf = <T extends object>(Input: InputClass<T>, request: KeyfoldRequest): T =>
  checkedBody(Input, request.body, request.sentContentType);

/**
 * Returns the query of a route that OpenList does not have, checked by the class.
 *
 * @throws Refusal 400 that names every wrong field.
 */
export const checkedQueryOf = <T extends object>(Input: InputClass<T>, request: KeyfoldRequest): T =>
  checkedQuery(Input, queryOf(request));

/** Like `bodyOf`, for routes that refuse every invalid body alike, with `refusal`. */
export function bodyOrRefusal<T extends object>(Dto: BodyClass<T>, request: KeyfoldRequest, refusal: InputRefusal): T {
  try {
    return bodyOf(Dto, request);
  } catch (error) {
    throw error instanceof Refusal ? inputRefusal(refusal) : error;
  }
}

/**
 * Returns the query parameters, parsed as the original parses them (wire contract 1.9).
 *
 * @throws Refusal 400 if the query is too long.
 */
export function queryOf({ url }: KeyfoldRequest): QueryParameters {
  const start = url.indexOf('?');
  if (start < 0) return parseQuery('');
  if (url.length - start - 1 > QUERY_BYTES) throw inputRefusal('query-too-long');
  return parseQuery(url.slice(start + 1));
}
