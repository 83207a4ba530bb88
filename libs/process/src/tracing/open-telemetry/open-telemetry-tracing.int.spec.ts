import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { OpenTelemetryTracing } from './open-telemetry-tracing.js';

const EXPORT_TIMEOUT = 10_000;
const quiet = { info: () => undefined, warn: () => undefined };

it('the end of a process does not wait for an endpoint that takes traces and never answers', async () => {
  const asked = Promise.withResolvers<void>();
  const server = createServer(() => asked.resolve());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: {},
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_TRACES_SAMPLER_ARG: 1,
  } as const;
  const tracing = OpenTelemetryTracing.open(settings, quiet);
  tracing.requests.begin({ method: 'GET', scheme: 'http', traceparent: undefined }).end({ route: '/', status: 200 });
  const begun = performance.now();
  await tracing.end();
  await asked.promise;
  expect(performance.now() - begun).toBeLessThan(EXPORT_TIMEOUT - 1_000);
});
