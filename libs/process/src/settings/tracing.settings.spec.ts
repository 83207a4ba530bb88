import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settingProblems } from '../../testing/setting-problems.js';
import { readSettings } from './read-settings.js';
import { tracingSettings } from './tracing.settings.js';

const schema = z.object(tracingSettings);
const read = (environment: Record<string, string>) => readSettings(schema, environment);
const problemsOf = (environment: Record<string, string>) => settingProblems(schema, environment);

describe('the settings of tracing', () => {
  it('default to no endpoint and to sampling every trace', () => {
    expect(read({})).toEqual({
      OTEL_EXPORTER_OTLP_HEADERS: {},
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
    });
  });

  it('parse headers with percent-encoded values', () => {
    const text = 'Authorization=Basic%20dXNlcjpwYXNz, x-team = red ,empty=,,equal=a=b';
    expect(read({ OTEL_EXPORTER_OTLP_HEADERS: text }).OTEL_EXPORTER_OTLP_HEADERS).toEqual({
      Authorization: 'Basic dXNlcjpwYXNz',
      'x-team': 'red',
      empty: '',
      equal: 'a=b',
    });
  });

  it.each(['just-a-secret', 'na me=secret', '=secret', 'key=%secret', 'key=secret%0d%0aother: line'])(
    'refuse the headers %j without showing them',
    (text) => {
      expect(problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: text })).toEqual([
        'OTEL_EXPORTER_OTLP_HEADERS: must be a list name=value,name=value with percent-encoded values',
      ]);
    },
  );

  it.each(['collector:4318', 'grpc://collector:4317', 'http://'])('refuse the endpoint %s', (endpoint) => {
    expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toHaveLength(1);
  });

  it('accept the standard samplers and a share from 0 to 1', () => {
    expect(read({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' })).toMatchObject({
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: 0.25,
    });
    expect(problemsOf({ OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_TRACES_SAMPLER_ARG: '2' })).toHaveLength(2);
  });
});
