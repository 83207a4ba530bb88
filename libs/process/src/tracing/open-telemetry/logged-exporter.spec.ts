import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { LoggedExporter } from './logged-exporter.js';

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

const taken: Result = { code: 0 };
const refusal = new Error('connect ECONNREFUSED 127.0.0.1:4318');
const away: Result = { code: 1, error: Object.assign(refusal, { code: 'ECONNREFUSED' }) };
const refused: Result = { code: 1, error: Object.assign(new Error('Unauthorized: key 7f3a'), { code: 401 }) };

/** The lines that these exports, one after the other, lead to. */
function linesOf(...results: readonly Result[]): string[] {
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
  const left = [...results];
  const exporter: SpanExporter = {
    export: (_, done) => done(left.shift() ?? taken),
    shutdown: () => Promise.resolve(),
  };
  const told = new LoggedExporter(exporter, 'collector:4318', log as never);
  const heard: Result[] = [];
  for (let count = results.length; count > 0; count--) told.export([], (result) => heard.push(result));
  expect(heard).toEqual(results);
  return lines;
}

it('nothing is said as long as traces are taken', () => {
  expect(linesOf(taken, taken)).toEqual([]);
});

it('it is said once that they are not taken, and once that they are again', () => {
  expect(linesOf(taken, away, away, refused, taken, taken)).toEqual([
    'traces are lost, because collector:4318 does not take them: connect ECONNREFUSED 127.0.0.1:4318',
    'traces are taken again by collector:4318',
  ]);
});

it('of what the other side answers only the status is said', () => {
  expect(linesOf(refused)).toEqual(['traces are lost, because collector:4318 does not take them: it answers 401']);
});

it('what is said of a batch does not belong to the request that happened to send it', () => {
  const request = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const log = { info: () => undefined, warn: () => seen.push(request.getStore()) };
  const exporter: SpanExporter = { export: (_, done) => done(away), shutdown: () => Promise.resolve() };
  const told = new LoggedExporter(exporter, 'collector:4318', log as never);
  request.run('some request', () => told.export([], () => undefined));
  expect(seen).toEqual([undefined]);
});
