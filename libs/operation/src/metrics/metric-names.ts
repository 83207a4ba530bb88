/** What a metric says. Units are part of the name; counters count since the start of the process. */
export type MetricDefinition = Readonly<{
  type: 'counter' | 'gauge';
  help: string;
  labels: readonly string[];
}>;

const define = (type: MetricDefinition['type'], help: string, ...labels: string[]): MetricDefinition => ({
  type,
  help,
  labels,
});

/** Every metric of our own, by its name. No label holds an id or a name of anybody. */
export const metricDefinitions = {
  keyfold_relay_published_total: define('counter', 'Messages that the broker confirmed'),
  keyfold_relay_refused_total: define(
    'counter',
    'Messages that the broker refused or no queue wanted; they are sent again',
  ),
  keyfold_relay_retried_total: define(
    'counter',
    'Messages of which nobody knows whether they arrived; they are sent again',
  ),
  keyfold_relay_pending_commits: define('gauge', 'Commits in the slots of this process that were not relayed yet'),
  keyfold_relay_oldest_unsent_seconds: define(
    'gauge',
    'Age of the oldest commit that waits to be sent, parked accounts apart',
  ),
  keyfold_relay_parked_accounts: define('gauge', 'Accounts whose events wait because one of them cannot be sent'),
  keyfold_relay_slots: define('gauge', 'Slots of the feed that this process relays'),
  keyfold_relay_ready: define('gauge', '1 while the broker takes messages, else 0'),
  keyfold_consumer_messages_total: define('counter', 'Messages by what became of them', 'queue', 'outcome'),
  keyfold_consumer_redelivered_total: define(
    'counter',
    'Messages that the broker delivered not for the first time',
    'queue',
  ),
  keyfold_consumer_in_flight: define('gauge', 'Messages that are being handled', 'queue'),
  keyfold_consumer_consuming: define('gauge', '1 while the queue is consumed, else 0', 'queue'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
