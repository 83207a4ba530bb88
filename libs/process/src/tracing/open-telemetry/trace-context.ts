import { TraceFlags, type Link, type Span, type SpanContext } from '@opentelemetry/api';

/** Returns the W3C `traceparent` of a span. */
export function traceparentOfSpan(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

/** Parses a valid W3C `traceparent`; callers validate it on arrival. */
export function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags = ''] = traceparent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** Returns a link to the span of `traceparent`, or nothing without one. */
export function linksTo(traceparent: string | undefined): Link[] {
  const context = spanContextOf(traceparent);
  return context ? [{ context }] : [];
}
