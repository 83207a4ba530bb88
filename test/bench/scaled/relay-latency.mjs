import { setTimeout as pause } from 'node:timers/promises';
import { brokerConnected, SUBSCRIBER } from './broker.mjs';
import { eventStore, messaging } from './built.mjs';
import { connected, drop, migrate } from './database.mjs';
import { untilShared } from './sharing.mjs';
import { keyRingStory } from './story.mjs';

const RATE = 200;
const COMMITS = 5;
/** Uncounted commits at the start, which warm up connections and compilers. */
const WARMING = 200;
const TIMEOUT = 20_000;

/**
 * Measures the milliseconds from the acknowledgement of a commit to its message at a subscriber, at `RATE` commits per
 * second. This process appends and subscribes, the children relay.
 */
export async function relayLatency(uri, url, children, seconds) {
  await migrate(uri);
  const following = children.map((child) => child.ask({ uri, url, work: 'follow' }));
  const waits = await connected(uri, async (connection) => {
    await untilShared(connection, messaging.relayName, children.length);
    return brokerConnected(url, 'consumer', (broker) => measure(connection, broker, WARMING + RATE * seconds));
  });
  for (const child of children) child.send({ work: 'end' });
  await Promise.all(following);
  await drop(uri);
  const counted = waits.slice(WARMING).toSorted((a, b) => a - b);
  const at = (share) => counted[Math.min(counted.length - 1, Math.floor(counted.length * share))];
  return { commits: counted.length, p50: at(0.5), p99: at(0.99), most: counted.at(-1) };
}

async function measure(connection, broker, count) {
  const store = new eventStore.MongoEventStore(connection);
  const received = new Map();
  const channel = await broker.channel();
  await channel.consume(SUBSCRIBER, ({ properties }) => received.set(properties.messageId, performance.now()), {
    noAck: true,
  });
  const acknowledged = await append(store, commitsOf(count));
  const deadline = performance.now() + TIMEOUT;
  while (received.size < count && performance.now() < deadline) await pause(20);
  if (received.size < count) throw new Error(`${received.size} of ${count} messages arrived`);
  await store.close();
  return [...acknowledged].map(([id, time]) => received.get(id) - time);
}

/**
 * Appends commits at fixed times, without waiting for earlier ones. Returns the time of each acknowledgement by message
 * id.
 */
async function append(store, commits) {
  const acknowledged = new Map();
  const began = performance.now();
  const appending = [];
  for (const [index, commit] of commits.entries()) {
    const due = began + (index * 1_000) / RATE;
    const early = due - performance.now();
    if (early > 1) await pause(early);
    acknowledged.set(`${commit.stream}:${commit.version}:0`, undefined);
    appending.push(
      store.append(commit).then(() => acknowledged.set(`${commit.stream}:${commit.version}:0`, performance.now())),
    );
  }
  await Promise.all(appending);
  return acknowledged;
}

/** Generates commits of many accounts in turn, so that those of one account are seconds apart. */
function commitsOf(count) {
  const accounts = Math.ceil(count / COMMITS);
  const stories = Array.from({ length: accounts }, (_, index) => keyRingStory(3 + index, COMMITS));
  return Array.from({ length: count }, (_, index) => stories[index % accounts][Math.floor(index / accounts)]);
}
