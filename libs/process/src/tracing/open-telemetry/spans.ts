import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { DomainError } from '@keyfold/domain';
import { HoldTaken, WrongExpectedVersion } from '@keyfold/event-store';
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Creates spans and tracks which one is active. Attributes come from the callers, never from errors, whose messages may contain names
 * or addresses.
 */
export class Spans {
  readonly #active = new AsyncLocalStorage<Context>();

  constructor(private readonly tracer: Tracer) {}

  /** The active span of the running code. */
  get active(): Span | undefined {
    const context = this.#active.getStore();
    return context && trace.getSpan(context);
  }

  /** Starts a span, which the caller must end. Without `parent` it begins a new trace. */
  begin(name: string, options: SpanOptions, parent?: SpanContext): Span {
    return this.tracer.startSpan(name, options, parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
  }

  /** Runs `work` with the span active. */
  within<Result>(span: Span, work: () => Result): Result {
    return this.#active.run(trace.setSpan(ROOT_CONTEXT, span), work);
  }

  /** Runs `work` with the span active, then records the outcome and ends the span. Returns and throws what `work` does. */
  async follow<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.within(span, work);
    } catch (error) {
      recordFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Records an outcome. Refusals and conflicts are not errors. Only the type of an error is recorded. */
function recordFailure(span: Span, error: unknown): void {
  if (error instanceof DomainError) span.setAttributes({ 'keyfold.outcome': 'refused', 'keyfold.refusal': error.code });
  else if (error instanceof WrongExpectedVersion || error instanceof HoldTaken) {
    span.setAttribute('keyfold.outcome', 'conflict');
  } else {
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

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
