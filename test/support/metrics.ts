import { until } from './rabbitmq/other-service.js';

/** The values of `/metrics` by series, such as `keyfold_append_failures_total` or `name{label="value"}`. */
export type Series = ReadonlyMap<string, number>;

/** Reads Keyfold's metrics, without those of Node. */
export async function readMetrics(managementUrl: string): Promise<Series> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  const rows = text.split('\n').filter((line) => line.startsWith('keyfold_'));
  return new Map(
    rows.map((row) => {
      const space = row.lastIndexOf(' ');
      return [row.slice(0, space), Number(row.slice(space + 1))];
    }),
  );
}

/** Polls the metrics until they satisfy a condition. */
export const metricsWhen = (managementUrl: string, fits: (series: Series) => boolean): Promise<Series> =>
  until(async () => {
    const series = await readMetrics(managementUrl);
    return fits(series) ? series : undefined;
  });

/** Returns how much counters and histogram counts grew between two readings. */
export function growth(before: Series, after: Series): Record<string, number> {
  const counting = [...after].filter(([name]) => /_(total|count)(\{|$)/.test(name));
  const grown = counting.map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, difference]) => difference !== 0));
}
