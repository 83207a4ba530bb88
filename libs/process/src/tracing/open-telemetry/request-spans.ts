import { SpanKind, SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import type { RequestTrace, RequestTraces } from '../tracing.js';
import { spanContextOf, type Spans } from './spans.js';

/** Other methods are recorded as `_OTHER`, because clients can invent any number of them. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/**
 * Creates a span for each request by the OpenTelemetry conventions for HTTP servers, without values that clients put into URLs and
 * headers.
 */
export class RequestSpans implements RequestTraces {
  constructor(private readonly spans: Spans) {}

  begin({ method, scheme, traceparent }: Parameters<RequestTraces['begin']>[0]): RequestTrace {
    const known = METHODS.includes(method) ? method : undefined;
    const attributes = { 'http.request.method': known ?? '_OTHER', 'url.scheme': scheme };
    const name = known ?? 'HTTP';
    const context = spanContextOf(traceparent);
    const span = this.spans.begin(name, { kind: SpanKind.SERVER, attributes, links: context && [{ context }] });
    return {
      run: (next) => this.spans.within(span, next),
      end: ({ route, status }) => {
        if (route !== undefined) span.updateName(`${name} ${route}`).setAttributes(pathOf(route));
        recordResponse(span, status);
        span.end();
      },
    };
  }
}

function recordResponse(span: Span, status: number | undefined): void {
  if (status === undefined) return void span.setAttribute('keyfold.outcome', 'client-gone');
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
}

/** Without parameters, the path equals the route. Otherwise it may contain a name. */
const pathOf = (route: string): Attributes =>
  /[:*]/.test(route) ? { 'http.route': route } : { 'http.route': route, 'url.path': route };
