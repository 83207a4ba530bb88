import { z } from 'zod';
import { httpUrl, number } from './setting-types.js';

/** The name of an HTTP header (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Tracing settings, under their standard OpenTelemetry names. Without an endpoint, nothing is traced. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'base URL of the collector, such as `http://collector:4318`; traces go to its `/v1/traces` as protobuf. Nothing is traced without it',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform(headersOf)
    .describe('headers of every export: `name=value,name=value`, values percent-encoded. They may be secrets'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .describe(
      "`always_on`, `always_off`, `traceidratio`, or one of these prefixed with `parentbased_`, which follows the decision of a message's sender",
    ),
  OTEL_TRACES_SAMPLER_ARG: number('must be a number from 0 to 1', 0, 1)
    .prefault('1')
    .describe('share of traces that the `traceidratio` samplers record'),
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

export type TracingSettings = z.infer<z.ZodObject<typeof tracingSettings>>;
