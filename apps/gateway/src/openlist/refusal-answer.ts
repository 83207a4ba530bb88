import { MirrorBlocked, OpenListUnavailable } from '@keyfold/openlist';
import {
  crossOriginHeaders,
  failureOf,
  Fault,
  Refusal,
  type EnvelopeFilter,
  type FailureAnswer,
} from '@keyfold/http-envelope';
import type { ServerResponse } from 'node:http';
import { ownHeaders } from '../http/response-headers.hook.js';
import { html, htmlPage, PAGE_CSP } from '../site/html.js';
import { discardRest } from './exchange/forwarded-body.js';
import { RETRY_AFTER } from './exchange/relay.js';
import type { ForwardedRequest } from './forwarded-request.js';
import type { ForwardedRow } from './forwarding-table.js';
import { CHALLENGE } from './webdav/webdav-logins.js';

const outagePage = htmlPage(
  'Not available',
  html`<h1>The files are not available</h1>
    <p>The file server does not answer at the moment. Try again in a few seconds.</p>`,
).source;

type Refused = Readonly<{ request: ForwardedRequest; row: ForwardedRow | undefined }>;

/** Sends the answer to a request that was not forwarded, or got no answer. */
export function refuse({ raw, method }: ForwardedRequest, response: ServerResponse, answer: FailureAnswer): void {
  const send = (text: string) => {
    if (response.closed) return;
    response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(text) });
    response.end(method === 'HEAD' ? undefined : text);
    discardRest(raw, response);
  };
  if (typeof answer.body === 'string') send(answer.body);
  else void answer.body.then(send);
}

/** Returns the answer to a request that was not forwarded, or got no answer. */
export function refusalAnswer(
  { request, row }: Refused,
  error: unknown,
  filter: EnvelopeFilter,
  hstsSeconds: number,
): FailureAnswer {
  const isWebDav = row?.speaker === 'login';
  const { status, headers, body } = filter.answerTo(faultOf(error, isWebDav), request);
  const isPage = error instanceof OpenListUnavailable && wantsPage(request);
  const all = {
    ...ownHeaders(request, hstsSeconds),
    ...crossOriginHeaders(request),
    ...headers,
    ...(isWebDav && status === 401 && { 'WWW-Authenticate': CHALLENGE }),
    ...(isPage && { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_CSP }),
  };
  return { status, headers: all, body: isPage ? outagePage : body };
}

/** Returns what the filter answers for an error of forwarding. */
function faultOf(error: unknown, isWebDav: boolean): unknown {
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
