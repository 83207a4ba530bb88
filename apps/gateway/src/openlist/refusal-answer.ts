import { MirrorBlocked, OpenListUnavailable } from '@keyfold/openlist';
import { crossOriginHeaders, failureOf, Fault, Refusal, type EnvelopeFilter } from '@keyfold/http-envelope';
import type { ServerResponse } from 'node:http';
import { html, htmlPage, PAGE_CSP } from '../site/html.js';
import { discardRest } from './exchange/forwarded-body.js';
import type { ForwardedRequest } from './forwarded-request.js';
import type { ForwardedRow } from './forwarding-table.js';
import { CHALLENGE } from './webdav/webdav-logins.js';

/** In seconds. */
const RETRY_AFTER = 5;

const outagePage = htmlPage(
  'Not available',
  html`<h1>The files are not available</h1>
    <p>The file server does not answer at the moment. Try again in a few seconds.</p>`,
).source;

type Refused = Readonly<{ request: ForwardedRequest; response: ServerResponse; row: ForwardedRow | undefined }>;

/** Answers a request that was not forwarded, or got no answer. */
export function refuse(
  { request, response, row }: Refused,
  error: unknown,
  filter: EnvelopeFilter,
  hsts: number,
): void {
  // The client has gone, or has a part of the answer that it must not take for the whole.
  if (response.closed || response.headersSent) return void request.raw.socket.destroy();
  const isWebDav = row?.speaker === 'login';
  const { status, headers, body } = filter.answerTo(faultOf(error, isWebDav), request);
  const isPage = error instanceof OpenListUnavailable && wantsPage(request);
  const all = {
    ...headers,
    ...crossOriginHeaders(request),
    ...(isWebDav && status === 401 && { 'WWW-Authenticate': CHALLENGE }),
    ...(isPage && { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_CSP }),
    ...(hsts > 0 && { 'Strict-Transport-Security': `max-age=${hsts}` }),
    'X-Request-Id': request.id,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Authorization',
  };
  const send = (text: string) => {
    if (response.closed) return;
    response.writeHead(status, { ...all, 'Content-Length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
    discardRest(request.raw, response);
  };
  if (isPage) send(outagePage);
  else if (typeof body === 'string') send(body);
  else void body.then(send);
}

/** Returns what the filter answers for an error of forwarding. */
export function faultOf(error: unknown, isWebDav: boolean): unknown {
  if (error instanceof OpenListUnavailable)
    return new Fault(503, 'the file server does not answer at the moment', { retryAfterSeconds: RETRY_AFTER });
  if (error instanceof MirrorBlocked)
    return new Fault(503, 'your account cannot use the files yet: ask an administrator', {
      retryAfterSeconds: RETRY_AFTER,
    });
  if (!isWebDav) return error;
  // WebDAV clients know statuses, not envelopes.
  const failure = failureOf(error);
  return failure instanceof Refusal ? new Fault(failure.code, failure.message, failure) : error;
}

const wantsPage = ({ method, headers }: ForwardedRequest) =>
  (method === 'GET' || method === 'HEAD') && (headers.accept?.includes('text/html') ?? false);
