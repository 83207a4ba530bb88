import { describe, expect, it } from 'vitest';
import { RecordedSpans } from '../../../testing/recorded-spans.js';
import type { RequestTrace } from '../tracing.js';
import { RequestSpans } from './request-spans.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** The span of a request that ends like this. */
function spanOf(answer: Parameters<RequestTrace['end']>[0], method = 'GET', traceparent?: string) {
  const recorded = new RecordedSpans();
  new RequestSpans(recorded.spans).begin({ method, scheme: 'http', traceparent }).end(answer);
  const [span] = recorded.ended;
  if (!span) throw new Error('no span has ended');
  return span;
}

describe('a request', () => {
  it('is named after method and route', () => {
    const { name, attributes, status } = spanOf({ route: '/api/me', status: 200 });
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

  it.each(['/u/:name', '/s3/*'])('of %s does not tell its path, in which there may be a name', (route) => {
    expect(spanOf({ route, status: 200 }).attributes).not.toHaveProperty('url.path');
  });

  it('that no route takes is told without what the client asked for', () => {
    const { name, attributes } = spanOf({ route: undefined, status: 404 }, 'BREW');
    expect(name).toBe('HTTP');
    expect(attributes).toEqual({
      'http.request.method': '_OTHER',
      'url.scheme': 'http',
      'http.response.status_code': 404,
    });
  });

  it('that fails is an error, one that is refused is none', () => {
    expect(spanOf({ route: '/api/me', status: 503 })).toMatchObject({
      attributes: { 'error.type': '503' },
      status: { code: 2 },
    });
    expect(spanOf({ route: '/api/me', status: 404 }).status).toEqual({ code: 0 });
  });

  it('whose client is gone has no status', () => {
    const { attributes } = spanOf({ route: '/api/me', status: undefined });
    expect(attributes).toMatchObject({ 'keyfold.outcome': 'client-gone' });
    expect(attributes).not.toHaveProperty('http.response.status_code');
  });

  it('begins a trace of its own and links to that of the client', () => {
    const span = spanOf({ route: '/api/me', status: 200 }, 'GET', `00-${TRACE}-${SPAN}-00`);
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.spanContext().traceId).not.toBe(TRACE);
    expect(span.links).toMatchObject([{ context: { traceId: TRACE, spanId: SPAN } }]);
  });
});
