import { metricDefinitions } from '@keyfold/process';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** Labels that Prometheus adds to whatever it scrapes. */
export const LABELS_OF_A_SCRAPE = ['job', 'instance'];

/**
 * What RabbitMQ tells by its plug-in rabbitmq_prometheus: `metrics.md` and `metrics-detailed.md` beside its source (rabbitmq-server,
 * deps/rabbitmq_prometheus), the alarms in `prometheus_rabbitmq_alarm_metrics_collector.erl` there.
 */
const OF_RABBITMQ: Readonly<Record<string, readonly string[]>> = {
  rabbitmq_alarms_memory_used_watermark: [],
  rabbitmq_alarms_free_disk_space_watermark: [],
  rabbitmq_detailed_queue_consumers: ['vhost', 'queue'],
  rabbitmq_detailed_queue_messages_ready: ['vhost', 'queue'],
  rabbitmq_global_messages_dead_lettered_maxlen_total: ['queue_type', 'dead_letter_strategy'],
};

/** Every series that there can be, with its labels beside those of the scrape. */
export async function knownMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>([['up', []], ...Object.entries(OF_RABBITMQ)]);
  for (const [name, { type, labels }] of Object.entries(metricDefinitions)) addSeries(known, name, type, labels);
  for (const { name, type, labels } of await metricsOfNode()) addSeries(known, name, type, labels);
  return known;
}

function addSeries(known: Map<string, readonly string[]>, name: string, type: string, labels: readonly string[]): void {
  if (type !== 'histogram') {
    known.set(name, labels);
    return;
  }
  known.set(`${name}_bucket`, [...labels, 'le']);
  for (const part of ['sum', 'count']) known.set(`${name}_${part}`, labels);
}

/** What prom-client tells of Node by itself, as this process shows it. */
async function metricsOfNode(): Promise<{ name: string; type: string; labels: string[] }[]> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = await registry.getMetricsAsJSON();
  registry.clear();
  return metrics.map(({ name, type, values }) => {
    const labels = new Set(values.flatMap((value) => Object.keys(value.labels)));
    // Collections of garbage are told from the first on.
    if (name === 'nodejs_gc_duration_seconds') labels.add('kind');
    return { name, type: String(type), labels: [...labels] };
  });
}
