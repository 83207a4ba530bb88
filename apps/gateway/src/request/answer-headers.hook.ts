import { crossOriginHook } from '@keyfold/http-envelope';
import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { clientCorrelationOf } from './client-correlation.js';
import { isPage } from './page-request.js';

/** A hook of Fastify's that comes before the route. */
export type RequestHook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** What a page in a browser may do; answers of the API are no pages. Plain HTTP must still find the page's own scripts. */
const protectPage = helmet({
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  strictTransportSecurity: false,
});

/**
 * Sets the headers of every answer, whether its address can be read or not; preflight requests end here. `hstsSeconds`: how long browsers
 * shall come over HTTPS only (RFC 6797), 0 for no word of it.
 */
export function answerHeaders(hstsSeconds: number): RequestHook {
  return (request, reply, done) => {
    // In the spelling in which Fastify keeps them, which spares every answer the rewriting.
    const clientCorrelation = clientCorrelationOf(request);
    reply.header('x-request-id', clientCorrelation ?? request.id);
    if (clientCorrelation !== undefined) reply.header('x-correlation-id', request.id);
    // Proxies must not give one user's answer to another (AlistGo/alist#2554).
    reply.header('cache-control', 'no-store').header('vary', 'Authorization');
    reply.header('x-content-type-options', 'nosniff');
    if (hstsSeconds > 0) reply.header('strict-transport-security', `max-age=${hstsSeconds}`);
    if (isPage(request)) protectPage(request.raw, reply.raw, () => undefined);
    crossOriginHook(request, reply, done);
  };
}
