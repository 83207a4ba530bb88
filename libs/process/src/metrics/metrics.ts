import type { Histogram } from '@keyfold/reporting';
import type { Registry } from 'prom-client';
import type { Health } from '../health.js';
import { serviceAppId } from '../service-version.js';
import { metricDefinitions, type MetricDefinition, type MetricName } from './metric-names.js';

type Distribution = Readonly<Pick<Histogram, 'bounds' | 'counts' | 'sum'>>;
type Labels = Readonly<Record<string, string>>;

/** The current value of a metric, with the labels of its definition. */
export type Sample = Readonly<{ name: MetricName; labels?: Labels; value: number | Distribution }>;

/** Returns samples at scrape time. A source that fails or takes longer than two seconds is omitted; the others are still exposed. */
export type MetricSource = () => readonly Sample[] | Promise<readonly Sample[]>;

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

  /** Returns all metrics, including those of Node, in the Prometheus format with its content type. */
  async text(): Promise<Readonly<{ type: string; text: string }>> {
    const ofNode = await (this.#ofNode ??= nodeRegistry());
    const own = Map.groupBy(addUp(await this.samples()), ({ name }) => name);
    const texts = [...own].map(([name, samples]) => expose(name, metricDefinitions[name], samples));
    return { type: ofNode.contentType, text: [await ofNode.metrics(), ...texts].join('\n') };
  }
}

/** Adds up the samples of the same metric and labels, because every thread of a process counts for itself. */
export function addUp(samples: readonly Sample[]): Sample[] {
  const sums = new Map<string, Sample>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.name, sample.labels]);
    const known = sums.get(key);
    sums.set(key, known ? { ...known, value: sumOf(known.value, sample.value) } : sample);
  }
  return [...sums.values()];
}

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
function expose(name: string, { type, help }: MetricDefinition, samples: readonly Sample[]): string {
  const lines = samples.flatMap(({ labels = {}, value }) =>
    typeof value === 'number' ? [line(name, labels, value)] : distributionLines(name, labels, value),
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

/** Prometheus buckets are cumulative. */
function distributionLines(name: string, labels: Labels, { bounds, counts, sum }: Distribution) {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return line(`${name}_bucket`, { ...labels, le: String(bounds[index] ?? '+Inf') }, total);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)];
}

function line(name: string, labels: Labels, value: number): string {
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
