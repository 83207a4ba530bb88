import type { FastifyRequest } from 'fastify';

/** Returns whether the response is an HTML page: the documentation or the welcome page. */
export const isPageRequest = (request: FastifyRequest): boolean =>
  request.url.startsWith('/docs') || isWelcomePageRequest(request);

/** Returns whether a browser opens the root. Browsers list `text/html` in `Accept`; other programs accept anything, or JSON. */
export const isWelcomePageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  (url === '/' || url.startsWith('/?')) &&
  (method === 'GET' || method === 'HEAD') &&
  headers.accept !== undefined &&
  headers.accept.includes('text/html');
