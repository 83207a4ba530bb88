import type { FastifyRequest } from 'fastify';

/** Whether the answer is shown as a page in a browser: the documentation and the welcome page are. */
export const isPage = (request: FastifyRequest): boolean =>
  request.url.startsWith('/docs') || opensWelcomePage(request);

/** Whether somebody opens the root in a browser, which asks for HTML by name. Programs take anything, or JSON. */
export const opensWelcomePage = ({ method, url, headers }: FastifyRequest): boolean =>
  (url === '/' || url.startsWith('/?')) &&
  (method === 'GET' || method === 'HEAD') &&
  headers.accept !== undefined &&
  headers.accept.includes('text/html');
