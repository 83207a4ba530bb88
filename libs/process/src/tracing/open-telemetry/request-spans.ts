import { SpanKind, SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import type { RequestTrace, RequestTraces } from '../tracing.js';
import type { Spans } from './spans.js';
import { linksTo } from './trace-context.js';

/** Others are told as `_OTHER`: a client can make up as many as it likes. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/** One span for a request, by the conventions for HTTP servers, without what clients write into addresses and headers. */
export class RequestSpans implements RequestTraces {
  constructor(private readonly spans: Spans) {}

  begin({ method, scheme, traceparent }: Parameters<RequestTraces['begin']>[0]): RequestTrace {
    const known = METHODS.includes(method) ? method : undefined;
    const attributes = { 'http.request.method': known ?? '_OTHER', 'url.scheme': scheme };
    const name = known ?? 'HTTP';
    const span = this.spans.begin(name, { kind: SpanKind.SERVER, attributes, links: linksTo(traceparent) });
    return {
      run: (next) => this.spans.within(span, next),
      end: ({ route, status }) => {
        if (route !== undefined) span.updateName(`${name} ${route}`).setAttributes(pathOf(route));
        noteAnswer(span, status);
        span.end();
      },
    };
  }
}

function noteAnswer(span: Span, status: number | undefined): void {
  if (status === undefined) {
    span.setAttribute('keyfold.outcome', 'client-gone');
    return;
  }
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
}

/** The path of a route without places for values is the route; every other one may have a name in it. */
const pathOf = (route: string): Attributes =>
  /[:*]/.test(route) ? { 'http.route': route } : { 'http.route': route, 'url.path': route };
