import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { samplerOf } from '../src/tracing/open-telemetry/open-telemetry-tracing.js';
import { Spans } from '../src/tracing/open-telemetry/spans.js';

type SamplerSettings = Parameters<typeof samplerOf>[0];

/** Keeps ended spans in memory. */
export class RecordedSpans {
  readonly spans: Spans;
  readonly #exporter = new InMemorySpanExporter();

  constructor(sampler: SamplerSettings = { OTEL_TRACES_SAMPLER: 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: 1 }) {
    const spanProcessors = [new SimpleSpanProcessor({ exporter: this.#exporter })];
    this.spans = new Spans(new TracerProvider({ sampler: samplerOf(sampler), spanProcessors }).getTracer('test'));
  }

  /** The ended spans, in the order in which they ended. */
  get ended(): ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** The name of each ended span, with its outcome or the type of its error. */
  get outcomes(): string[] {
    return this.ended.map(({ name, attributes }) => {
      const outcome = attributes['error.type'] ?? attributes['keyfold.refusal'] ?? attributes['keyfold.outcome'];
      return typeof outcome === 'string' ? `${name}: ${outcome}` : name;
    });
  }
}
