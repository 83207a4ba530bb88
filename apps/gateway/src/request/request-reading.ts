import { hasKeysLoaded, type Caller, type CallerWithKeys, type Origin } from '@keyfold/application';
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
import { traceparentOf } from '@keyfold/event-store';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set by a caller guard. */
    caller?: Caller;
    /** The `Content-Type` that the client sent, from before the server replaced it. */
    sentContentType?: string;
    /** The client's IP address, computed on access by `ClientAddress`. */
    readonly clientAddress: string;
  }
}

export type RequestHook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** A request as the controllers see it: the body is still unparsed. */
export type KeyfoldRequest = FastifyRequest<{ Body: Buffer | undefined }>;

/** Other ids are ignored, because an id is copied into headers, logs and commits. */
const VALID_ID = /^[\w.-]{8,64}$/;

/** Returns the id that the client chose for its request (`X-Request-Id`), or undefined if it sent no valid one. */
export function clientCorrelationOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && VALID_ID.test(given) ? given : undefined;
}

/** Returns the ids of a request for log lines and commits: the server's, and the client's if it sent one. */
export function correlationsOf(request: Pick<FastifyRequest, 'id' | 'headers'>) {
  const clientCorrelation = clientCorrelationOf(request);
  return { correlation: request.id, ...(clientCorrelation !== undefined && { clientCorrelation }) };
}

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
export function originOf(request: Pick<KeyfoldRequest, 'id' | 'headers' | 'clientAddress' | 'caller'>): Origin {
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
