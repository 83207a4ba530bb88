import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import type { TracingSettings } from '../../settings/tracing.settings.js';
import { RecordedSpans } from '../../../testing/recorded-spans.js';
import { LoggedExporter } from './open-telemetry-tracing.js';

const parent = (traceFlags: number) => ({
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  traceFlags,
  isRemote: true,
});

/** Returns the share of a thousand new traces that is sampled, and which spans of existing traces are. */
function sampled(OTEL_TRACES_SAMPLER: TracingSettings['OTEL_TRACES_SAMPLER'], OTEL_TRACES_SAMPLER_ARG = 1) {
  const recorded = new RecordedSpans({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG });
  for (let count = 0; count < 1_000; count++) recorded.spans.begin('new', {}).end();
  const share = recorded.ended.length / 1_000;
  recorded.spans.begin('of sampled', {}, parent(1)).end();
  recorded.spans.begin('of unsampled', {}, parent(0)).end();
  return { share, parts: recorded.ended.map(({ name }) => name).filter((name) => name !== 'new') };
}

it.each([
  ['always_on', 1, ['of sampled', 'of unsampled']],
  ['always_off', 0, []],
  ['parentbased_always_on', 1, ['of sampled']],
  ['parentbased_always_off', 0, ['of sampled']],
] as const)('%s samples a share of %d of the new traces, and of existing ones %j', (name, share, parts) => {
  expect(sampled(name)).toEqual({ share, parts });
});

it.each(['traceidratio', 'parentbased_traceidratio'] as const)('%s samples the configured share', (name) => {
  const { share } = sampled(name, 0.25);
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.4);
  expect(sampled(name, 0).share).toBe(0);
});

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

const accepted: Result = { code: 0 };
const refusal = new Error('connect ECONNREFUSED 127.0.0.1:4318');
const unreachable: Result = { code: 1, error: Object.assign(refusal, { code: 'ECONNREFUSED' }) };
const refused: Result = { code: 1, error: Object.assign(new Error('Unauthorized: key 7f3a'), { code: 401 }) };

/** Exports these results in turn and returns the logged lines. */
function linesOf(...results: readonly Result[]): string[] {
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
  const left = [...results];
  const exporter: SpanExporter = {
    export: (_, done) => done(left.shift() ?? accepted),
    shutdown: () => Promise.resolve(),
  };
  const logged = new LoggedExporter(exporter, 'collector:4318', log as never);
  const reported: Result[] = [];
  for (let count = results.length; count > 0; count--) logged.export([], (result) => reported.push(result));
  expect(reported).toEqual(results);
  return lines;
}

it('nothing is logged while exports succeed', () => {
  expect(linesOf(accepted, accepted)).toEqual([]);
});

it('a failure is logged once, and so is the recovery', () => {
  expect(linesOf(accepted, unreachable, unreachable, refused, accepted, accepted)).toEqual([
    'cannot send traces to collector:4318, dropping them: connect ECONNREFUSED 127.0.0.1:4318',
    'sending traces to collector:4318 again',
  ]);
});

it('only the status of a response is logged', () => {
  expect(linesOf(refused)).toEqual(['cannot send traces to collector:4318, dropping them: HTTP status 401']);
});

it('a line about a batch does not belong to the request that triggered the export', () => {
  const request = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const log = { info: () => undefined, warn: () => seen.push(request.getStore()) };
  const exporter: SpanExporter = { export: (_, done) => done(unreachable), shutdown: () => Promise.resolve() };
  const logged = new LoggedExporter(exporter, 'collector:4318', log as never);
  request.run('some request', () => logged.export([], () => undefined));
  expect(seen).toEqual([undefined]);
});
