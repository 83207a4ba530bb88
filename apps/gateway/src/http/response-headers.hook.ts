import { crossOriginHook } from '@keyfold/http-envelope';
import type { FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { clientCorrelationOf, type RequestHook } from '../request/request-reading.js';

/** The address of the console. Everything below it is the console's. */
export const CONSOLE = '/@account';

/** Returns whether the response is an HTML page: the documentation or the welcome page. */
const isPageRequest = (request: FastifyRequest): boolean =>
  (request.routeOptions.url?.startsWith('/docs') ?? false) || isWelcomePageRequest(request);

/** Returns whether a browser opens the root. Browsers list `text/html` in `Accept`; other programs accept anything, or JSON. */
export const isWelcomePageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  (url === '/' || url.startsWith('/?')) &&
  (method === 'GET' || method === 'HEAD') &&
  headers.accept !== undefined &&
  headers.accept.includes('text/html');

/** Sets security headers for HTML pages. Upgrading to HTTPS is off, so that pages also load their scripts over plain HTTP. */
const protectPage = helmet({
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  strictTransportSecurity: false,
});

/**
 * Returns the headers of every response of this service, except those of CORS. `hstsSeconds` is the HSTS max-age (RFC 6797); with 0 the header is
 * not sent.
 */
export function ownHeaders(
  request: Pick<FastifyRequest, 'id' | 'headers'>,
  hstsSeconds: number,
): Readonly<Record<string, string>> {
  const clientCorrelation = clientCorrelationOf(request);
  // Lower-case names spare Fastify the conversion.
  const headers: Record<string, string> = {
    'x-request-id': clientCorrelation ?? request.id,
    // Proxies must not serve one user's response to another (AlistGo/alist#2554).
    'cache-control': 'no-store',
    vary: 'Authorization',
    'x-content-type-options': 'nosniff',
  };
  if (clientCorrelation !== undefined) headers['x-correlation-id'] = request.id;
  if (hstsSeconds > 0) headers['strict-transport-security'] = `max-age=${hstsSeconds}`;
  return headers;
}

/** Creates the hook that sets the headers of every response, including those to malformed paths. Preflight requests end here. */
export function responseHeaders(hstsSeconds: number): RequestHook {
  return (request, reply, done) => {
    reply.headers(ownHeaders(request, hstsSeconds));
    if (isPageRequest(request)) protectPage(request.raw, reply.raw, () => undefined);
    crossOriginHook(request, reply, done);
  };
}
