import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidConfiguration, readSettings } from './read-settings.js';
import { tracingSettings } from './tracing.settings.js';

const read = (environment: Record<string, string>) => readSettings(z.object(tracingSettings), environment);

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidConfiguration);
    return (error as InvalidConfiguration).problems;
  }
}

describe('the settings of traces', () => {
  it('name no endpoint and take every trace when nothing is set', () => {
    expect(read({})).toEqual({
      OTEL_EXPORTER_OTLP_HEADERS: {},
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
    });
  });

  it('have headers as a list with escaped values', () => {
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
        'OTEL_EXPORTER_OTLP_HEADERS: needs a list name=value,name=value, with values escaped as in addresses',
      ]);
    },
  );

  it.each(['collector:4318', 'grpc://collector:4317', 'http://'])('refuse the endpoint %s', (endpoint) => {
    expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toHaveLength(1);
  });

  it('know the samplers of the standard and a share from 0 to 1', () => {
    expect(read({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' })).toMatchObject({
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: 0.25,
    });
    expect(problemsOf({ OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_TRACES_SAMPLER_ARG: '2' })).toHaveLength(2);
  });
});
