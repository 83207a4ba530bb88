import { setTimeout as pause } from 'node:timers/promises';
import { brokerConnected, SUBSCRIBER } from './broker.mjs';
import { eventStore } from './built.mjs';
import { connected, drop, migrate } from './database.mjs';
import { keyRingStory } from './story.mjs';

const RATE = 200;
const COMMITS = 5;
/** Commits that come before those that count: connections and compilers get warm. */
const WARMING = 200;
const PATIENCE = 20_000;

/**
 * From the acknowledgement of a commit until a subscriber has its message, in milliseconds, at `RATE` commits a second: this process
 * appends and subscribes, the child relays.
 */
export async function relayLatency(uri, url, child, seconds) {
  await migrate(uri);
  const following = child.ask({ uri, url, work: 'follow' });
  const waits = await connected(uri, (connection) =>
    brokerConnected(url, 'consumer', (broker) => measure(connection, broker, WARMING + RATE * seconds)),
  );
  child.tell({ work: 'end' });
  await following;
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
  const deadline = performance.now() + PATIENCE;
  while (received.size < count && performance.now() < deadline) await pause(20);
  if (received.size < count) throw new Error(`${received.size} of ${count} messages arrived`);
  await store.close();
  return [...acknowledged].map(([id, time]) => received.get(id) - time);
}

/** One after another in time, whatever becomes of those before; when each was acknowledged, by the id of its message. */
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

/** Of many accounts in turn, so that the commits of one are seconds apart. */
function commitsOf(count) {
  const accounts = Math.ceil(count / COMMITS);
  const stories = Array.from({ length: accounts }, (_, index) => keyRingStory(3 + index, COMMITS));
  return Array.from({ length: count }, (_, index) => stories[index % accounts][Math.floor(index / accounts)]);
}
