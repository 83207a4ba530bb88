import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Histogram } from '@keyfold/reporting';
import { metricDefinitions } from './metric-names.js';
import { Health } from '../health.js';
import { measureProcess, Metrics } from './metrics.js';

let metrics: Metrics;
const linesOf = async (name: string) => (await metrics.text()).text.split('\n').filter((line) => line.includes(name));

beforeEach(() => {
  metrics = new Metrics();
});

describe('metrics', () => {
  it('have the values at scrape time', async () => {
    let published = 0;
    metrics.add(() => [{ name: 'keyfold_relay_published_total', value: (published += 5) }]);
    await metrics.text();
    expect(await linesOf('keyfold_relay_published_total')).toEqual([
      '# HELP keyfold_relay_published_total Messages confirmed by the broker',
      '# TYPE keyfold_relay_published_total counter',
      'keyfold_relay_published_total 10',
    ]);
  });

  it('have labels', async () => {
    metrics.add(() =>
      ['a', 'b'].map((queue, index) => ({ name: 'keyfold_consumer_in_flight', labels: { queue }, value: index })),
    );
    expect(await linesOf('keyfold_consumer_in_flight{')).toEqual([
      'keyfold_consumer_in_flight{queue="a"} 0',
      'keyfold_consumer_in_flight{queue="b"} 1',
    ]);
  });

  it('of the histogram type have cumulative buckets, a sum and a count', async () => {
    const histogram = new Histogram([0.5, 2]);
    for (const value of [0.25, 0.5, 1, 3]) histogram.observe(value);
    metrics.add(() => [
      { name: 'keyfold_http_request_duration_seconds', labels: { route: '/ping' }, value: histogram },
    ]);
    expect(await linesOf('keyfold_http_request_duration_seconds')).toEqual([
      '# HELP keyfold_http_request_duration_seconds Time from the headers of a request to the end of its response',
      '# TYPE keyfold_http_request_duration_seconds histogram',
      'keyfold_http_request_duration_seconds_bucket{route="/ping",le="0.5"} 2',
      'keyfold_http_request_duration_seconds_bucket{route="/ping",le="2"} 3',
      'keyfold_http_request_duration_seconds_bucket{route="/ping",le="+Inf"} 4',
      'keyfold_http_request_duration_seconds_sum{route="/ping"} 4.75',
      'keyfold_http_request_duration_seconds_count{route="/ping"} 4',
    ]);
  });

  it('of one name from several sources form one group', async () => {
    for (const queue of ['a', 'b'])
      metrics.add(() => [{ name: 'keyfold_consumer_in_flight', labels: { queue }, value: 1 }]);
    expect(await linesOf('keyfold_consumer_in_flight')).toHaveLength(4);
  });

  it('of one name and the same labels are added up', async () => {
    const [first, second] = [new Histogram([1]), new Histogram([1])];
    for (const [histogram, values] of [
      [first, [0.5, 2]],
      [second, [0.25]],
    ] as const) {
      for (const value of values) histogram.observe(value);
      const labels = { method: 'GET', route: '/ping', status: '200' };
      const ofRoute = { route: '/ping' };
      metrics.add(() => [
        { name: 'keyfold_http_requests_total', labels, value: values.length },
        { name: 'keyfold_http_request_duration_seconds', labels: ofRoute, value: histogram },
      ]);
    }
    expect(await linesOf('requests_total{')).toEqual([
      'keyfold_http_requests_total{method="GET",route="/ping",status="200"} 3',
    ]);
    expect(await linesOf('duration_seconds_')).toEqual([
      'keyfold_http_request_duration_seconds_bucket{route="/ping",le="1"} 2',
      'keyfold_http_request_duration_seconds_bucket{route="/ping",le="+Inf"} 3',
      'keyfold_http_request_duration_seconds_sum{route="/ping"} 2.75',
      'keyfold_http_request_duration_seconds_count{route="/ping"} 3',
    ]);
  });

  it('escape special characters in labels', async () => {
    metrics.add(() => [{ name: 'keyfold_consumer_in_flight', labels: { queue: 'a"\\\n' }, value: 1 }]);
    expect(await linesOf('in_flight{')).toEqual(['keyfold_consumer_in_flight{queue="a\\"\\\\\\n"} 1']);
  });

  it('do not wait for a source that hangs', async () => {
    await metrics.text();
    vi.useFakeTimers();
    try {
      metrics.add(() => new Promise(() => {}));
      metrics.add(() => [{ name: 'keyfold_relay_slots', value: 64 }]);
      const lines = linesOf('keyfold_relay_slots 64');
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await lines).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('omit a source that fails, and include those of Node', async () => {
    metrics.add(() => {
      throw new Error('away');
    });
    metrics.add(async () => [{ name: 'keyfold_relay_slots', value: 64 }]);
    const { type, text } = await metrics.text();
    expect(type).toContain('text/plain');
    expect(text).toContain('keyfold_relay_slots 64');
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('follow the naming rules of Prometheus: counters end in total', () => {
    for (const [name, { type }] of Object.entries(metricDefinitions)) {
      expect(name).toMatch(/^keyfold_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_(seconds|commits|messages)$/);
    }
  });
});

describe('a process', () => {
  it('exposes its version and kind, and no available store until a check passes', async () => {
    const [metrics, health] = [new Metrics(), new Health()];
    measureProcess('worker', { metrics, health });
    const lines = async () => (await metrics.text()).text.split('\n').filter((line) => line.startsWith('keyfold_'));
    expect(await lines()).toEqual([
      expect.stringMatching(/^keyfold_build_info\{version="\d+\.\d+\.\d+[^"]*",process="worker"\} 1$/),
      'keyfold_store_available 0',
    ]);
    health.setPending('store', 'MongoDB is not available');
    expect(await lines()).toContain('keyfold_store_available 0');
    health.add('store', () => {});
    expect(await lines()).toContain('keyfold_store_available 1');
  });
});
