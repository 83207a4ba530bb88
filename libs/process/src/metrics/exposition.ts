import type { MetricDefinition } from './metric-names.js';

/** Values by size as a part of the process counted them: see `Histogram` of the event store. */
export type Distribution = Readonly<{ bounds: readonly number[]; counts: readonly number[]; sum: number }>;

/** A value of one metric; labels as its definition names them. */
export type Value = Readonly<{ labels?: Readonly<Record<string, string>>; value: number | Distribution }>;

/** One metric with its values, in the text format of Prometheus 0.0.4. */
export function expose(name: string, { type, help }: MetricDefinition, values: readonly Value[]): string {
  const lines = values.flatMap(({ labels = {}, value }) =>
    typeof value === 'number' ? [line(name, labels, value)] : distributionLines(name, labels, value),
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

/** Buckets of Prometheus hold everything up to their bound. */
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
