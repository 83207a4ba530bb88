import type { Registry } from 'prom-client';
import { expose, type Value } from './exposition.js';
import { summed } from './summed.js';
import { metricDefinitions, type MetricName } from './metric-names.js';

/** The current value of a metric. */
export type Sample = Value & Readonly<{ name: MetricName }>;

/** Returns samples at scrape time. A source that fails or takes longer than two seconds is omitted; the others are still exposed. */
export type MetricSource = () => readonly Sample[] | Promise<readonly Sample[]>;

/** A text in the Prometheus format, with its content type. */
export type MetricsText = Readonly<{ type: string; text: string }>;

/** How long a source may take (milliseconds). Prometheus times out a scrape after ten seconds. */
const SOURCE_TIMEOUT = 2_000;

/** Collects the samples of all sources at scrape time, so that an unscraped process does no work for its metrics. */
export class Metrics {
  readonly #sources: MetricSource[] = [];
  #ofNode: Promise<Registry> | undefined;

  /** Adds a source of samples. */
  add(source: MetricSource): void {
    this.#sources.push(source);
  }

  /** Returns the samples of all sources, without the metrics of Node. */
  async samples(): Promise<readonly Sample[]> {
    return (await Promise.all(this.#sources.map(samplesOf))).flat();
  }

  /** Returns all metrics, including those of Node. */
  async text(): Promise<MetricsText> {
    const ofNode = await (this.#ofNode ??= nodeRegistry());
    const own = [...Map.groupBy(await this.samples(), ({ name }) => name)].map(([name, values]) =>
      expose(name, metricDefinitions[name], summed(values)),
    );
    return { type: ofNode.contentType, text: [await ofNode.metrics(), ...own].join('\n') };
  }
}

/** Adds up the samples of the same metric and labels. */
export const addUp = (samples: readonly Sample[]): Sample[] =>
  [...Map.groupBy(samples, ({ name }) => name)].flatMap(([name, values]) =>
    summed(values).map((value): Sample => ({ ...value, name })),
  );

async function samplesOf(source: MetricSource): Promise<readonly Sample[]> {
  const late = Promise.withResolvers<readonly Sample[]>();
  const timer = setTimeout(() => late.resolve([]), SOURCE_TIMEOUT);
  try {
    return await Promise.race([source(), late.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** Loads the library at the first scrape, so that it does not delay the startup. */
async function nodeRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
