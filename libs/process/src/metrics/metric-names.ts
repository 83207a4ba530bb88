/** What a metric says. Units are part of the name; counters and histograms count since the start of the process. */
export type MetricDefinition = Readonly<{
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
}>;

const define =
  (type: MetricDefinition['type']) =>
  (help: string, ...labels: string[]): MetricDefinition => ({ type, help, labels });
const counter = define('counter');
const gauge = define('gauge');
const histogram = define('histogram');

/** Every metric of our own, by its name. Labels have few values that nobody outside can make; none holds an id or a name of anybody. */
export const metricDefinitions = {
  keyfold_build_info: gauge('1, with the version of the program and what the process is', 'version', 'process'),
  keyfold_store_available: gauge('1 while the store answers, else 0'),

  keyfold_http_requests_total: counter(
    'Answered requests by route pattern; status `none`: the client left before its answer',
    'method',
    'route',
    'status',
  ),
  keyfold_http_request_duration_seconds: histogram('Time from the head of a request to its whole answer', 'route'),
  keyfold_http_requests_in_flight: gauge('Requests that have no answer yet'),

  keyfold_password_hashes_waiting: gauge('Password hashes that wait for a thread'),
  keyfold_password_hashes_running: gauge('Password hashes that are being computed'),
  keyfold_password_hash_duration_seconds: histogram('Time that a password hash took, without its waiting'),
  keyfold_password_hashes_refused_total: counter('Password hashes that were not taken on because too many waited'),
  keyfold_login_attempts_total: counter(
    'Checks at a login: accepted, refused, throttled, missing (a code was asked for), failed (could not be checked)',
    'factor',
    'outcome',
  ),
  keyfold_security_events_total: counter('Security events, those without a line in the log included', 'event'),

  keyfold_events_appended_total: counter('Events that this process stored', 'type'),
  keyfold_append_conflicts_total: counter('Appends that another commit of their stream forestalled; decided again'),
  keyfold_append_failures_total: counter('Appends that failed because the store did not do its work'),
  keyfold_append_batch_commits: histogram('Commits that travelled to the store together'),
  keyfold_append_duration_seconds: histogram('Time from an append to its answer'),

  keyfold_projector_pending_commits: gauge('Commits in the slots of this process that were not projected yet'),
  keyfold_projector_oldest_unread_seconds: gauge('Age of the oldest commit that waits to be projected'),
  keyfold_projector_slots: gauge('Slots of the feed that this process projects'),
  keyfold_projector_parked_streams: gauge('Streams in the slots of this process that cannot be folded'),

  keyfold_relay_published_total: counter('Messages that the broker confirmed'),
  keyfold_relay_refused_total: counter('Messages that the broker refused or no queue wanted; they are sent again'),
  keyfold_relay_retried_total: counter('Messages of which nobody knows whether they arrived; they are sent again'),
  keyfold_relay_confirm_duration_seconds: histogram('Time from a message to its confirm'),
  keyfold_relay_page_messages: histogram('Messages that were confirmed of a page of the feed'),
  keyfold_relay_pending_commits: gauge('Commits in the slots of this process that were not relayed yet'),
  keyfold_relay_oldest_unsent_seconds: gauge('Age of the oldest commit that waits to be sent, parked accounts apart'),
  keyfold_relay_parked_accounts: gauge('Accounts whose events wait because one of them cannot be sent'),
  keyfold_relay_slots: gauge('Slots of the feed that this process relays'),
  keyfold_relay_ready: gauge('1 while the broker takes messages, else 0'),

  keyfold_broker_connected: gauge('1 while there is a connection to RabbitMQ, else 0', 'role'),
  keyfold_parked_messages: gauge('Messages that wait for an operator, the same from every process', 'queue'),
  keyfold_consumer_messages_total: counter('Messages by what became of them', 'queue', 'outcome'),
  keyfold_consumer_redelivered_total: counter('Messages that the broker delivered not for the first time', 'queue'),
  keyfold_consumer_in_flight: gauge('Messages that are being handled', 'queue'),
  keyfold_consumer_consuming: gauge('1 while the queue is consumed, else 0', 'queue'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
