import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { LoggedExporter } from './logged-exporter.js';

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
