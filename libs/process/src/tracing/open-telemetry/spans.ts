import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
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
 * Makes spans, and knows in which of them the running code is. Attributes are given by the callers and never taken from errors, whose
 * texts may have names or addresses in them.
 */
export class Spans {
  readonly #active = new AsyncLocalStorage<Context>();

  constructor(private readonly tracer: Tracer) {}

  /** The span that the running code belongs to. */
  get active(): Span | undefined {
    const context = this.#active.getStore();
    return context && trace.getSpan(context);
  }

  /** A span that the caller ends; without `parent` it begins a trace. */
  begin(name: string, options: SpanOptions, parent?: SpanContext): Span {
    return this.tracer.startSpan(name, options, parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
  }

  /** Runs `work` as a part of the span. */
  within<Result>(span: Span, work: () => Result): Result {
    return this.#active.run(trace.setSpan(ROOT_CONTEXT, span), work);
  }

  /** Runs `work` as a part of the span, which ends with it and says how; answers and throws what `work` does. */
  async follow<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.within(span, work);
    } catch (error) {
      noteFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** A refusal is an answer, and a conflict is decided again; everything else is an error, which is told by its kind alone. */
function noteFailure(span: Span, error: unknown): void {
  if (error instanceof DomainError) span.setAttributes({ 'keyfold.outcome': 'refused', 'keyfold.refusal': error.code });
  else if (error instanceof WrongExpectedVersion || error instanceof HoldTaken) {
    span.setAttribute('keyfold.outcome', 'conflict');
  } else {
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
}
