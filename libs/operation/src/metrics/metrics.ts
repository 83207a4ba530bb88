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
  #ofNode: Registry | undefined;

  add(source: MetricSource): void {
    this.#sources.push(source);
  }

  /** In the text format of Prometheus, those of Node included. */
  async text(): Promise<MetricsText> {
    // Loaded when somebody asks first: a start need not wait for it.
    const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('prom-client');
    const samples = await Promise.allSettled(this.#sources.map(async (source) => source()));
    const told = samples.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const own = new Registry();
    for (const [name, values] of Map.groupBy(told, (sample) => sample.name)) {
      const { type, help, labels }: MetricDefinition = metricDefinitions[name];
      const options = { name, help, labelNames: [...labels], registers: [own] };
      const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
      for (const { labels: named = {}, value } of values) metric.inc({ ...named }, value);
    }
    if (!this.#ofNode) collectDefaultMetrics({ register: (this.#ofNode = new Registry()) });
    return { type: own.contentType, text: await Registry.merge([this.#ofNode, own]).metrics() };
  }
}
