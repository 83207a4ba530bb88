import { SpanKind } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { RecordedSpans } from '../../../testing/recorded-spans.js';
import type { RequestTrace } from '../tracing.js';
import { RequestSpans } from './request-spans.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** Returns the span of a request that ends in this way. */
function spanOf(answer: Parameters<RequestTrace['end']>[0], method = 'GET', traceparent?: string) {
  const recorded = new RecordedSpans();
  new RequestSpans(recorded.spans).begin({ method, scheme: 'http', traceparent }).end(answer);
  const [span] = recorded.ended;
  if (!span) throw new Error('no span has ended');
  return span;
}

describe('a request', () => {
  it('has a span that is named after method and route', () => {
    const { name, kind, attributes, status } = spanOf({ route: '/api/me', status: 200 });
    expect(kind).toBe(SpanKind.SERVER);
    expect(name).toBe('GET /api/me');
    expect(attributes).toEqual({
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'http.route': '/api/me',
      'url.path': '/api/me',
      'http.response.status_code': 200,
    });
    expect(status).toEqual({ code: 0 });
  });

  it.each(['/u/:name', '/s3/*'])('of %s has no path attribute, because the path may contain a name', (route) => {
    expect(spanOf({ route, status: 200 }).attributes).not.toHaveProperty('url.path');
  });

  it('that no route matches is recorded without its path and method', () => {
    const { name, attributes } = spanOf({ route: undefined, status: 404 }, 'BREW');
    expect(name).toBe('HTTP');
    expect(attributes).toEqual({
      'http.request.method': '_OTHER',
      'url.scheme': 'http',
      'http.response.status_code': 404,
    });
  });

  it('that fails is an error, and one that is refused is not', () => {
    expect(spanOf({ route: '/api/me', status: 503 })).toMatchObject({
      attributes: { 'error.type': '503' },
      status: { code: 2 },
    });
    expect(spanOf({ route: '/api/me', status: 404 }).status).toEqual({ code: 0 });
  });

  it('whose client disconnected has no status', () => {
    const { attributes } = spanOf({ route: '/api/me', status: undefined });
    expect(attributes).toMatchObject({ 'keyfold.outcome': 'client-gone' });
    expect(attributes).not.toHaveProperty('http.response.status_code');
  });

  it("begins a new trace that links to the client's", () => {
    const span = spanOf({ route: '/api/me', status: 200 }, 'GET', `00-${TRACE}-${SPAN}-00`);
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.spanContext().traceId).not.toBe(TRACE);
    expect(span.links).toMatchObject([{ context: { traceId: TRACE, spanId: SPAN } }]);
  });
});
