import type { FastifyRequest } from 'fastify';

/** Other texts are ignored: an id goes into headers, logs and commits. */
const FORM = /^[\w.-]{8,64}$/;

/** The id that the client chose for its request (`X-Request-Id`); undefined where it sent none, or a text that is no id. */
export function clientCorrelationOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && FORM.test(given) ? given : undefined;
}

/** How the log names a request: by our id, and by the client's beside it. */
export function correlationsOf(request: Pick<FastifyRequest, 'id' | 'headers'>) {
  const clientCorrelation = clientCorrelationOf(request);
  return { correlation: request.id, ...(clientCorrelation !== undefined && { clientCorrelation }) };
}
