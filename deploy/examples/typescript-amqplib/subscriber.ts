import { on } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Channel, type ConsumeMessage } from 'amqplib';

const { KEYFOLD_RABBITMQ_URL: url = 'amqp://localhost', KEYFOLD_QUEUE: queue = 'sftp.keyfold-events' } = process.env;
const bindings = (process.env['KEYFOLD_BINDINGS'] ?? 'ssh-key.# account.#').split(' ').filter(Boolean);
// A single active consumer keeps the order. RabbitMQ drops messages redelivered more often than the limit.
const queueArguments = { 'x-queue-type': 'quorum', 'x-single-active-consumer': true, 'x-delivery-limit': 1_000_000 };
const db = new DatabaseSync(process.env['DATABASE'] ?? 'keys.db', { timeout: 5_000 });
db.exec(`PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS seen (stream TEXT PRIMARY KEY, version INTEGER, event_index INTEGER);
  CREATE TABLE IF NOT EXISTS history (number INTEGER PRIMARY KEY, id TEXT, type TEXT, data TEXT);
  CREATE TABLE IF NOT EXISTS keys (id PRIMARY KEY, account, public_key, expires);
  CREATE TABLE IF NOT EXISTS disabled (account PRIMARY KEY);`);
// Changes a row only if the event is newer than all events already seen in its stream.
const advance = db.prepare(`INSERT INTO seen VALUES (:stream, :version, :index) ON CONFLICT (stream) DO UPDATE
  SET version = :version, event_index = :index WHERE (:version, :index) > (version, event_index)`);
// Effect of each event type. Other and unknown types are only added to the history.
const effects = new Map([
  [
    'ssh-key.added',
    `REPLACE INTO keys SELECT :data ->> 'keyId', :data ->> 'accountId', :data ->> 'publicKey', :data ->> 'expires'`,
  ],
  ['ssh-key.expiry-changed', `UPDATE keys SET expires = :data ->> 'expires' WHERE id = :data ->> 'keyId'`],
  ['ssh-key.removed', `DELETE FROM keys WHERE id = :data ->> 'keyId'`],
  ['account.registered', `REPLACE INTO disabled SELECT :data ->> 'accountId' WHERE :data ->> 'disabled'`],
  ['account.disabled', `REPLACE INTO disabled SELECT :data ->> 'accountId'`],
  ['account.enabled', `DELETE FROM disabled WHERE account = :data ->> 'accountId'`],
  ['account.deleted', `DELETE FROM keys WHERE account = :data ->> 'accountId'`],
]);

// Stores effect and progress in one transaction: both or neither.
function apply(id: string, type: string, data: string, [, stream = '', version, index]: RegExpExecArray): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const isNew = advance.run({ stream, version: Number(version), index: Number(index) }).changes > 0;
    if (isNew) db.prepare('INSERT INTO history (id, type, data) VALUES (:id, :type, :data)').run({ id, type, data });
    if (isNew && effects.has(type)) db.prepare(effects.get(type) ?? '').run({ data });
    db.exec('COMMIT');
    if (isNew) console.log(`applied ${id} ${type}`);
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function handle(message: ConsumeMessage, channel: Channel): void {
  const { cloudEvents_id: id, cloudEvents_type: type } = message.properties.headers ?? {};
  const match = typeof id === 'string' && /^(.+):(\d{1,15}):(\d{1,9})$/.exec(id);
  const data = message.content.toString();
  if (match && typeof type === 'string' && db.prepare('SELECT 1 WHERE json_valid(?)').get(data)) {
    apply(id, type, data, match);
    return channel.ack(message);
  }
  console.error('rejected a message that is not a Keyfold event');
  channel.reject(message, false);
}

// Handles messages sequentially until any failure. Unacknowledged messages are redelivered in order.
async function subscribe(signal: AbortSignal): Promise<void> {
  const connection = (await connect(url, { noDelay: true, timeout: 10_000 })).on('error', console.error);
  const timer = setTimeout(() => void connection.close().catch(console.error), 10_000);
  try {
    const channel = await connection.createChannel();
    const messages = on(channel, 'delivery', { close: ['close', 'cancel'], signal });
    await channel.assertQueue(queue, { durable: true, arguments: queueArguments });
    for (const binding of bindings) await channel.bindQueue(queue, 'keyfold.events', binding);
    await channel.prefetch(100);
    await channel.consume(queue, () => undefined);
    clearTimeout(timer);
    for await (const [message] of messages) handle(message as ConsumeMessage, channel);
  } finally {
    clearTimeout(timer);
    await Promise.race([connection.close().catch(() => undefined), pause(3_000)]);
  }
}
const stopping = new AbortController();
for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => stopping.abort());
while (!stopping.signal.aborted) {
  await subscribe(stopping.signal).catch((error: Error) => console.error(error.message));
  await pause(1_000, undefined, { signal: stopping.signal }).catch(() => undefined);
}
db.close();
