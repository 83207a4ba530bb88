import type { Logger } from 'pino';
import type { TracingSettings } from '../settings/tracing.settings.js';
import type { Tracing } from './tracing.js';

/** Starts tracing. Without an endpoint it returns undefined and does not load OpenTelemetry. */
export async function openTracing(
  settings: TracingSettings,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return undefined;
  const { OpenTelemetryTracing } = await import('./open-telemetry/open-telemetry-tracing.js');
  return OpenTelemetryTracing.open({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log);
}
