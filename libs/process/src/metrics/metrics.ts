import type { Registry } from 'prom-client';
import type { Health } from '../health.js';
import { serviceAppId } from '../service-version.js';
import { metricDefinitions, type MetricDefinition, type MetricName } from './metric-names.js';

/** The counts of a histogram; see `Histogram` in `reporting`. */
type Distribution = Readonly<{ bounds: readonly number[]; counts: readonly number[]; sum: number }>;

/** A value of a metric, with the labels of its definition. */
type Value = Readonly<{ labels?: Readonly<Record<string, string>>; value: number | Distribution }>;

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

/** Adds up the values with the same labels, because every thread of a process counts for itself. */
function summed(values: readonly Value[]): Value[] {
  const sums = new Map<string, Value>();
  for (const each of values) {
    const key = JSON.stringify(each.labels ?? {});
    const known = sums.get(key);
    sums.set(key, known ? { ...known, value: sumOf(known.value, each.value) } : each);
  }
  return [...sums.values()];
}

function sumOf(a: number | Distribution, b: number | Distribution): number | Distribution {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'number' || typeof b === 'number') throw new TypeError('a number and a distribution have no sum');
  return {
    bounds: a.bounds,
    counts: a.counts.map((count, index) => count + b.counts[index]!),
    sum: a.sum + b.sum,
  };
}

/** Formats a metric in the Prometheus text format 0.0.4. */
function expose(name: string, { type, help }: MetricDefinition, values: readonly Value[]): string {
  const lines = values.flatMap(({ labels = {}, value }) =>
    typeof value === 'number' ? [line(name, labels, value)] : distributionLines(name, labels, value),
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

/** Prometheus buckets are cumulative. */
function distributionLines(name: string, labels: Record<string, string>, { bounds, counts, sum }: Distribution) {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return line(`${name}_bucket`, { ...labels, le: String(bounds[index] ?? '+Inf') }, total);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)];
}

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Adds the metrics of the process and of its store. Call it first, so that they also show a startup that waits. */
export function measureProcess(
  process: 'gateway' | 'standalone' | 'worker',
  { health, metrics }: Readonly<{ health: Health; metrics: Metrics }>,
): void {
  const version = serviceAppId.replace(/^.*\//, '');
  metrics.add(() => [{ name: 'keyfold_build_info', labels: { version, process }, value: 1 }]);
  metrics.add(async () => [{ name: 'keyfold_store_available', value: (await health.passes('store')) ? 1 : 0 }]);
}
