import { CommandTraces } from '@keyfold/application';
import { reasonOf } from '@keyfold/reporting';
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
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceAppId } from '../../service-version.js';
import type { TracingSettings } from '../../settings/tracing.settings.js';
import type { Tracing } from '../tracing.js';
import { CommandSpans } from './command-spans.js';
import { MessageSpans } from './message-spans.js';
import { RequestSpans } from './request-spans.js';
import { Spans } from './spans.js';

type Settings = TracingSettings & Readonly<{ OTEL_EXPORTER_OTLP_ENDPOINT: string }>;

/** How long the shutdown waits for the last batch (milliseconds). */
const SHUTDOWN_TIMEOUT = 3_000;

@Module({})
class TracingModule {}

/** Sends manually created spans as OTLP over HTTP. It registers nothing globally and patches no library. */
export class OpenTelemetryTracing implements Tracing {
  readonly requests: RequestSpans;
  readonly #spans: Spans;

  constructor(private readonly provider: TracerProvider) {
    this.#spans = new Spans(provider.getTracer('keyfold'));
    this.requests = new RequestSpans(this.#spans);
  }

  /** Starts tracing. The endpoint need not be reachable. */
  static open(settings: Settings, log: Pick<Logger, 'info' | 'warn'>): OpenTelemetryTracing {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
    const url = new URL(endpoint);
    const sending = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers });
    const exporter = new LoggedExporter(sending, url.host, log);
    log.info(`sending traces to ${url.host}`);
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
    await Promise.race([this.provider.shutdown().catch(() => undefined), sleep(SHUTDOWN_TIMEOUT)]);
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

type SamplerSettings = Pick<TracingSettings, 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'>;

/** Returns the sampler for a standard name. The SDK does not resolve these names itself. */
export function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: SamplerSettings): Sampler {
  const root = rootSamplers[name.replace('parentbased_', '') as keyof typeof rootSamplers](share);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

const rootSamplers = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (share: number) => new TraceIdRatioBasedSampler(share),
};

/** Logs when exports begin to fail and when they succeed again, instead of logging each batch. */
export class LoggedExporter implements SpanExporter {
  #failing = false;
  /** A batch is sent in the context of an arbitrary request, to which its log lines do not belong. */
  readonly #outside = AsyncLocalStorage.snapshot();

  /** `host` is the name of the collector in the log. */
  constructor(
    private readonly exporter: SpanExporter,
    private readonly host: string,
    private readonly log: Pick<Logger, 'info' | 'warn'>,
  ) {}

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#outside(() =>
      this.exporter.export(spans, (result) => {
        this.#report(result.error);
        done(result);
      }),
    );
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  #report(error: Error | undefined): void {
    if ((error !== undefined) === this.#failing) return;
    this.#failing = error !== undefined;
    if (error) this.log.warn(`cannot send traces to ${this.host}, dropping them: ${reasonFor(error)}`);
    else this.log.info(`sending traces to ${this.host} again`);
  }
}

/** The body of a response may contain anything, so only its status is logged. */
function reasonFor(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? `HTTP status ${code}` : reasonOf(error);
}
