import { CommandTraces } from '@keyfold/application';
import { MessageTraces } from '@keyfold/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceAppId } from '../../service-version.js';
import type { TracingSettings } from '../../settings/tracing.settings.js';
import type { Tracing } from '../tracing.js';
import { CommandSpans } from './command-spans.js';
import { MessageSpans } from './message-spans.js';
import { RequestSpans } from './request-spans.js';
import { samplerOf } from './sampler.js';
import { Spans } from './spans.js';
import { LoggedExporter } from './logged-exporter.js';

type Settings = TracingSettings & Readonly<{ OTEL_EXPORTER_OTLP_ENDPOINT: string }>;

/** How long the end of the process waits for the last batch (milliseconds). */
const LAST_BATCH = 3_000;

@Module({})
class TracingModule {}

/** Spans by our own hand at the few places that matter, sent as OTLP over HTTP; nothing global, and no library is patched. */
export class OpenTelemetryTracing implements Tracing {
  readonly requests: RequestSpans;
  readonly #spans: Spans;

  constructor(private readonly provider: TracerProvider) {
    this.#spans = new Spans(provider.getTracer('keyfold'));
    this.requests = new RequestSpans(this.#spans);
  }

  /** Whether anybody is at the endpoint does not matter. */
  static open(settings: Settings, log: Pick<Logger, 'info' | 'warn'>): OpenTelemetryTracing {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
    const url = new URL(endpoint);
    const sending = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers });
    const exporter = new LoggedExporter(sending, url.host, log);
    log.info(`traces go to ${url.host}`);
    return new OpenTelemetryTracing(providerFor(exporter, settings));
  }

  module(store: 'sqlite' | 'mongodb'): DynamicModule {
    return {
      module: TracingModule,
      global: true,
      providers: [
        { provide: CommandTraces, useValue: new CommandSpans(this.#spans, store) },
        { provide: MessageTraces, useValue: new MessageSpans(this.#spans) },
      ],
      exports: [CommandTraces, MessageTraces],
    };
  }

  logFields(): { traceId?: string } {
    const span = this.#spans.active;
    return span ? { traceId: span.spanContext().traceId } : {};
  }

  async end(): Promise<void> {
    await Promise.race([this.provider.shutdown().catch(() => undefined), sleep(LAST_BATCH)]);
  }
}

function providerFor(exporter: SpanExporter, settings: Settings): TracerProvider {
  const [name, version = ''] = serviceAppId.split('/');
  const own = resourceFromAttributes({ 'service.name': name, 'service.version': version });
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector];
  return new TracerProvider({
    resource: defaultResource().merge(own).merge(detectResources({ detectors })),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
}
