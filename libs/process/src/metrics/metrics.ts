import type { Registry } from 'prom-client';
import { expose, type Value } from './exposition.js';
import { metricDefinitions, type MetricName } from './metric-names.js';

/** A value at this moment, or values by size as a histogram counted them; labels as the definition names them. */
export type Sample = Value & Readonly<{ name: MetricName }>;

/** What to tell when somebody asks. One that fails or takes two seconds is left out, so that the others can still be seen. */
export type MetricSource = () => readonly Sample[] | Promise<readonly Sample[]>;

export type MetricsText = Readonly<{ type: string; text: string }>;

/** How long a source may take (milliseconds); those who collect wait for ten seconds. */
const LONGEST_ANSWER = 2_000;

/** Collects what the parts of a process count, when it is asked for and not before: measuring costs the work nothing. */
export class Metrics {
  readonly #sources: MetricSource[] = [];
  #ofNode: Promise<Registry> | undefined;

  add(source: MetricSource): void {
    this.#sources.push(source);
  }

  /** In the text format of Prometheus, those of Node included. */
  async text(): Promise<MetricsText> {
    const ofNode = await (this.#ofNode ??= nodeRegistry());
    const told = (await Promise.all(this.#sources.map(toldBy))).flat();
    const own = [...Map.groupBy(told, ({ name }) => name)].map(([name, values]) =>
      expose(name, metricDefinitions[name], values),
    );
    return { type: ofNode.contentType, text: [await ofNode.metrics(), ...own].join('\n') };
  }
}

async function toldBy(source: MetricSource): Promise<readonly Sample[]> {
  const late = Promise.withResolvers<readonly Sample[]>();
  const timer = setTimeout(() => late.resolve([]), LONGEST_ANSWER);
  try {
    return await Promise.race([source(), late.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** Loaded when somebody asks first: a start need not wait for it. */
async function nodeRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
