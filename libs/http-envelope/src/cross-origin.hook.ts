import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sets the CORS headers (wire contract 1.3, factory configuration), as an onRequest hook of Fastify. Any origin may call, without
 * credentials. Answers every OPTIONS request with 204, whatever its path. Same-origin requests and requests without an `Origin`
 * get no CORS header.
 */
export function crossOriginHook(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const crossOrigin = isCrossOrigin(request);
  if (crossOrigin) reply.header(...ALLOW_ORIGIN);
  if (request.method === 'OPTIONS') {
    if (crossOrigin) reply.headers(preflightHeaders);
    void reply.code(204).send();
    return;
  }
  if (crossOrigin) reply.header(...EXPOSE_HEADERS);
  done();
}

/** Returns the CORS headers of an answer that no route gives. */
export const crossOriginHeaders = (request: Pick<FastifyRequest, 'headers'>): Readonly<Record<string, string>> =>
  isCrossOrigin(request) ? Object.fromEntries([ALLOW_ORIGIN, EXPOSE_HEADERS]) : {};

const ALLOW_ORIGIN = ['Access-Control-Allow-Origin', '*'] as const;
const EXPOSE_HEADERS = ['Access-Control-Expose-Headers', 'Retry-After, ETag, X-Request-Id, X-Correlation-Id'] as const;

function isCrossOrigin({ headers: { origin, host } }: Pick<FastifyRequest, 'headers'>): boolean {
  if (origin === undefined || origin === '') return false;
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Names are listed beside the wildcard because browsers do not apply it to `Authorization` (Fetch standard). */
const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, *',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Accept, If-None-Match, Idempotency-Key, X-Request-Id, traceparent, *',
  'Access-Control-Max-Age': '43200',
};
