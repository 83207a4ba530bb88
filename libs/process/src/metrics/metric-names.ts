/** The definition of a metric. Units are part of its name. Counters and histograms start at 0 with the process. */
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

/** Every Keyfold metric by name. Labels have few values, clients cannot create new ones, and none identifies an account or a person. */
export const metricDefinitions = {
  keyfold_build_info: gauge('Always 1; the labels hold the version and the kind of process', 'version', 'process'),
  keyfold_store_available: gauge('1 while the store is available, otherwise 0'),

  keyfold_http_requests_total: counter(
    'Requests by route pattern; status `none`: the client disconnected before the response',
    'method',
    'route',
    'status',
  ),
  keyfold_http_request_duration_seconds: histogram(
    'Time from the headers of a request to the end of its response',
    'route',
  ),
  keyfold_http_requests_in_flight: gauge('Requests in flight'),

  keyfold_servers_requests_total: counter(
    'Requests of file servers by route; status `none`: the server disconnected before the response',
    'route',
    'status',
  ),
  keyfold_servers_request_duration_seconds: histogram(
    'Time from the headers of a request of a file server to the end of its response',
    'route',
  ),
  keyfold_servers_requests_in_flight: gauge('Requests of file servers in flight'),

  keyfold_openlist_requests_total: counter(
    'Requests forwarded to OpenList: answered, refused (by Keyfold), unavailable (OpenList), locked (OpenList blocks logins after failed ones), broken (OpenList cut off its answer), aborted (by the client)',
    'outcome',
  ),
  keyfold_openlist_requests_repeated_total: counter('Forwarded requests resent because OpenList refused the token'),
  keyfold_openlist_added_seconds: histogram('Time from the arrival of a request until it is forwarded to OpenList'),

  keyfold_password_hashes_waiting: gauge('Password hashes waiting for a thread'),
  keyfold_password_hashes_running: gauge('Password hashes being computed'),
  keyfold_password_hash_duration_seconds: histogram('Time to compute a password hash, without queueing'),
  keyfold_password_hashes_refused_total: counter('Password hashes rejected because the queue was full'),
  keyfold_login_attempts_total: counter(
    'Login checks: accepted, refused, throttled, missing (code required), failed (check not possible)',
    'factor',
    'outcome',
  ),
  keyfold_security_events_total: counter('Security events, including those omitted from the log', 'event'),

  keyfold_events_appended_total: counter('Events stored by this process', 'type'),
  keyfold_append_conflicts_total: counter('Appends rejected by a concurrent commit and retried'),
  keyfold_append_failures_total: counter('Appends that failed because of the store'),
  keyfold_append_batch_commits: histogram('Commits sent to the store in one batch'),
  keyfold_append_duration_seconds: histogram('Duration of an append'),

  keyfold_projector_pending_commits: gauge('Commits in the slots of this process that are not projected yet'),
  keyfold_projector_oldest_unread_seconds: gauge('Age of the oldest commit that is not projected yet'),
  keyfold_projector_slots: gauge('Feed slots that this process projects'),
  keyfold_projector_parked_streams: gauge('Parked streams (cannot be folded) in the slots of this process'),

  keyfold_relay_published_total: counter('Messages confirmed by the broker'),
  keyfold_relay_refused_total: counter('Messages refused by the broker or matched by no queue, to be resent'),
  keyfold_relay_retried_total: counter('Messages with an unknown outcome, to be resent'),
  keyfold_relay_confirm_duration_seconds: histogram('Time from publishing a message to its confirm'),
  keyfold_relay_unconfirmed_seconds: gauge(
    'Time for which the broker is unreachable or has not confirmed some messages, from 5 seconds on',
  ),
  keyfold_relay_page_messages: histogram('Messages confirmed per page of the feed'),
  keyfold_relay_pending_commits: gauge('Commits in the slots of this process that are not relayed yet'),
  keyfold_relay_oldest_unsent_seconds: gauge(
    'Age of the oldest commit that is not relayed yet, without parked accounts',
  ),
  keyfold_relay_parked_accounts: gauge('Accounts whose events wait because one cannot be sent'),
  keyfold_relay_slots: gauge('Feed slots that this process relays'),
  keyfold_relay_ready: gauge('1 while the broker accepts messages, otherwise 0'),

  keyfold_openlist_up: gauge('1 while OpenList answers its API, otherwise 0'),
  keyfold_openlist_carried_total: counter('Changed accounts whose mirrors in OpenList were brought up to date'),
  keyfold_openlist_pending_commits: gauge('Commits in the slots of this process that are not carried to OpenList yet'),
  keyfold_openlist_oldest_pending_seconds: gauge(
    'Age of the oldest commit that is not carried to OpenList yet, without parked accounts',
  ),
  keyfold_openlist_parked_accounts: gauge('Accounts that OpenList cannot mirror until somebody acts'),

  keyfold_broker_connected: gauge('1 while connected to RabbitMQ, otherwise 0', 'role'),
  keyfold_parked_messages: gauge('Parked messages in the queue; every process reports the same number', 'queue'),
  keyfold_consumer_messages_total: counter('Handled messages by outcome', 'queue', 'outcome'),
  keyfold_consumer_redelivered_total: counter('Redelivered messages', 'queue'),
  keyfold_consumer_in_flight: gauge('Messages in flight', 'queue'),
  keyfold_consumer_consuming: gauge('1 while the queue is consumed, otherwise 0', 'queue'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metricDefinitions;
