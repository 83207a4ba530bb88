import { z } from 'zod';
import { httpUrl, number } from './setting-types.js';

/** The name of an HTTP header (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Tracing settings, under their standard OpenTelemetry names. Without an endpoint, nothing is traced. */
export const tracingSettings = {
  /** Base URL of a collector for OTLP over HTTP, such as `http://collector:4318`; traces go to its `/v1/traces`. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Headers of every export: `name=value,name=value`, with percent-encoded values. They may be secrets. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().default('').transform(headersOf),
  /** Sampler of traces. With a `parentbased_` one, a message follows its sender's decision. A request always starts a new trace. */
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
  /** Share of traces that the `traceidratio` samplers record. */
  OTEL_TRACES_SAMPLER_ARG: number('must be a number from 0 to 1', 0, 1).prefault('1'),
};

/** Parses the list of headers. Error messages contain no values, because these may be secrets. */
function headersOf(text: string, context: z.RefinementCtx): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const [name = '', ...value] = pair.split('=');
    const decoded = decodeValue(value.join('=').trim());
    if (!HEADER_NAME.test(name.trim()) || value.length === 0 || decoded === undefined) {
      context.addIssue('must be a list name=value,name=value with percent-encoded values');
      return {};
    }
    headers[name.trim()] = decoded;
  }
  return headers;
}

/** Decodes the value of a header. Returns undefined if it is malformed or contains characters that a header cannot. */
function decodeValue(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value);
    return /^[\t\x20-\x7e]*$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

const schema = z.object(tracingSettings);
/** The parsed settings of tracing. */
export type TracingSettings = z.infer<typeof schema>;
