import { z } from 'zod';
import { httpUrl, number } from './setting-types.js';

/** A name as HTTP has them (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Settings of traces, under the names of OpenTelemetry. Without an endpoint nothing is traced, and nothing of it is loaded. */
export const tracingSettings = {
  /** The base address of what takes OTLP over HTTP: `http://collector:4318`; traces go to its `/v1/traces`. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Sent with every export: `name=value,name=value`, values escaped as in addresses. They may be secrets. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().default('').transform(headersOf),
  /** Which traces are told of. Those with `parentbased_` follow a message that comes with a trace; requests begin one of their own. */
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  /** The share of the samplers that end with `traceidratio`. */
  OTEL_TRACES_SAMPLER_ARG: number('needs a number from 0 to 1', 0, 1).prefault('1'),
};

/** A problem that is told never contains a value. */
function headersOf(text: string, context: z.RefinementCtx): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const [name = '', ...value] = pair.split('=');
    const unescaped = unescapedOf(value.join('=').trim());
    if (!HEADER_NAME.test(name.trim()) || value.length === 0 || unescaped === undefined) {
      context.addIssue('needs a list name=value,name=value, with values escaped as in addresses');
      return {};
    }
    headers[name.trim()] = unescaped;
  }
  return headers;
}

/** Undefined for what is no escaped text, and for what no header may have. */
function unescapedOf(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value);
    return /^[\t\x20-\x7e]*$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

const group = z.object(tracingSettings);
export type TracingSettings = z.infer<typeof group>;
