import type { FastifyRequest } from 'fastify';

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
