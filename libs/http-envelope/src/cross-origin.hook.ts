import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Fastify's onRequest hook for browsers on other origins (wire contract 1.3, factory configuration): every origin may
 * call, without credentials. Every OPTIONS request ends here with 204, whatever its path; the own origin and requests
 * without one get no header.
 */
export function crossOriginHook(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const foreign = isForeign(request);
  if (foreign) reply.header('Access-Control-Allow-Origin', '*');
  if (request.method === 'OPTIONS') {
    if (foreign) reply.headers(preflightHeaders);
    void reply.code(204).send();
    return;
  }
  if (foreign) reply.header('Access-Control-Expose-Headers', 'Retry-After, ETag, X-Request-Id, X-Correlation-Id');
  done();
}

function isForeign({ headers: { origin, host } }: FastifyRequest): boolean {
  if (origin === undefined || origin === '') return false;
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Names stand beside the star because browsers do not let it cover `Authorization` (Fetch standard). */
const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, *',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Accept, If-None-Match, X-Request-Id, traceparent, *',
  'Access-Control-Max-Age': '43200',
};
