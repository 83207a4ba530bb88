import { expect, it } from 'vitest';
import type { TracingSettings } from '../../settings/tracing.settings.js';
import { RecordedSpans } from '../../../testing/recorded-spans.js';

const parent = (traceFlags: number) => ({
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  traceFlags,
  isRemote: true,
});

/** How many of a thousand new traces, and which parts of traces that are and are not sampled, are told of. */
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
] as const)('%s takes a share of %d of the new traces, and of others %j', (name, share, parts) => {
  expect(sampled(name)).toEqual({ share, parts });
});

it.each(['traceidratio', 'parentbased_traceidratio'] as const)('%s takes the share that is set', (name) => {
  const { share } = sampled(name, 0.25);
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.4);
  expect(sampled(name, 0).share).toBe(0);
});
