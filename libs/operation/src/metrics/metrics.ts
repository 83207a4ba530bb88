import type { Registry } from 'prom-client';
import { metricDefinitions, type MetricDefinition, type MetricName } from './metric-names.js';

/** A value at this moment; labels as the definition names them. */
export type Sample = Readonly<{ name: MetricName; labels?: Readonly<Record<string, string>>; value: number }>;

/** What to tell when somebody asks. A source that fails is left out, so that the others can still be seen. */
export type MetricSource = () => readonly Sample[] | Promise<readonly Sample[]>;

export type MetricsText = Readonly<{ type: string; text: string }>;

/** Collects what the parts of a process count, when it is asked for and not before: measuring costs the work nothing. */
export class Metrics {
  readonly #sources: MetricSource[] = [];
  #registry: Promise<Registry> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  add(source: MetricSource): void {
    this.#sources.push(source);
  }

  /** In the text format of Prometheus, those of Node included. One after another: the registry has one set of values. */
  text(): Promise<MetricsText> {
    const text = this.#last.then(() => this.#text());
    this.#last = text.catch(() => undefined);
    return text;
  }

  async #text(): Promise<MetricsText> {
    const registry = await (this.#registry ??= openRegistry());
    const samples = await Promise.allSettled(this.#sources.map(async (source) => source()));
    const { Counter, Gauge } = await import('prom-client');
    registry.getMetricsAsArray().forEach(({ name }) => name in metricDefinitions && registry.removeSingleMetric(name));
    const told = samples.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    for (const [name, values] of Map.groupBy(told, (sample) => sample.name)) {
      const { type, help, labels }: MetricDefinition = metricDefinitions[name];
      const options = { name, help, labelNames: [...labels], registers: [registry] };
      const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
      for (const { labels: own = {}, value } of values) metric.inc({ ...own }, value);
    }
    return { type: registry.contentType, text: await registry.metrics() };
  }
}

/** Loaded when somebody asks first: a start need not wait for it. */
async function openRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry: PrometheusRegistry } = await import('prom-client');
  const registry = new PrometheusRegistry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
