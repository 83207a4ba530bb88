import { TraceFlags, type Link, type Span, type SpanContext } from '@opentelemetry/api';

/** The W3C form of where a span is. */
export function traceparentOfSpan(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

/** `traceparent` has the form of W3C: it was checked where it came in. */
export function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags = ''] = traceparent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

export function linksTo(traceparent: string | undefined): Link[] {
  const context = spanContextOf(traceparent);
  return context ? [{ context }] : [];
}
