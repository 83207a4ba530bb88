import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { samplerOf } from '../src/tracing/open-telemetry/sampler.js';
import { Spans } from '../src/tracing/open-telemetry/spans.js';

type SamplerSettings = Parameters<typeof samplerOf>[0];

/** Spans that stay in memory when they have ended. */
export class RecordedSpans {
  readonly spans: Spans;
  readonly #exporter = new InMemorySpanExporter();

  constructor(sampler: SamplerSettings = { OTEL_TRACES_SAMPLER: 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: 1 }) {
    const spanProcessors = [new SimpleSpanProcessor({ exporter: this.#exporter })];
    this.spans = new Spans(new TracerProvider({ sampler: samplerOf(sampler), spanProcessors }).getTracer('test'));
  }

  /** In the order in which they ended. */
  get ended(): ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** Each with its outcome or, where it failed, with the kind of its error. */
  get outcomes(): string[] {
    return this.ended.map(({ name, attributes }) => {
      const outcome = attributes['error.type'] ?? attributes['keyfold.refusal'] ?? attributes['keyfold.outcome'];
      return typeof outcome === 'string' ? `${name}: ${outcome}` : name;
    });
  }
}
