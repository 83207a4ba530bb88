import { Child } from '../child.mjs';
import { alternate } from '../rounds.mjs';
import { missedGoals, rowsOf, tableOf } from '../table.mjs';
import { Broker } from './broker.mjs';
import { CommitWriter } from './commit-writer.mjs';
import { connected, drop, migrate } from './database.mjs';
import { relayLatency } from './relay-latency.mjs';
import { keyRingStory } from './story.mjs';

const ACCOUNTS = Number(process.env.BENCH_ACCOUNTS) || 4_000;
/** Commits of each account. */
export const COMMITS = 5;
const GOAL = 0.8;
const LATENCY_GOALS = { p50: 10, p99: 100 };

/** Compares a relay over the feed with a bare loop over the same messages, then measures a subscriber's latency. */
export async function relayRates(server, rounds, seconds) {
  const broker = await Broker.start();
  const child = new Child('./scaled/relay.mjs');
  try {
    const uri = server.uri('relay');
    await fill(uri);
    const work = { uri, url: broker.url, messages: ACCOUNTS * COMMITS };
    const measured = (name) => async () => {
      await broker.empty();
      return child.ask({ ...work, work: name });
    };
    const bare = 'bare amqplib confirm loop, batches of 500';
    const subjects = [
      { name: bare, measure: measured('bare') },
      { name: 'relay, from MongoDB', measure: measured('relay'), base: bare, goal: GOAL },
    ];
    // The first round warms up compilers and caches and does not count.
    await alternate(subjects, 1);
    const rows = rowsOf(subjects, await alternate(subjects, rounds));
    await drop(uri);
    await broker.empty();
    return { rows, latency: await relayLatency(server.uri('latency'), broker.url, [child], seconds) };
  } finally {
    child.end();
    await broker.stop();
  }
}

export function relayTable({ rows, latency: { commits, p50, p99, most } }) {
  const waits = [p50, p99, most].map((time) => `${time.toFixed(1)} ms`);
  const words = `commit to subscriber, ${commits} commits at 200 a second: p50 ${waits[0]}, p99 ${waits[1]}, most ${waits[2]}`;
  return `${tableOf(rows)}\n${words}`;
}

export function missedRelayGoals({ rows, latency }) {
  const waits = Object.entries(LATENCY_GOALS)
    .filter(([key, goal]) => !(latency[key] < goal))
    .map(
      ([key, goal]) => `commit to subscriber: ${key} ${latency[key].toFixed(1)} ms, the goal is less than ${goal} ms`,
    );
  return [...missedGoals(rows), ...waits];
}

async function fill(uri) {
  await migrate(uri);
  await connected(uri, async (connection) => {
    const writer = new CommitWriter(connection);
    for (const commits of commitsOf(3, ACCOUNTS)) await writer.write(commits);
    await writer.end();
  });
}

/** Returns the commits of accounts, those of an account one after the other; a slot contains those of many accounts. */
export function commitsOf(first, accounts) {
  const stories = Array.from({ length: accounts }, (_, index) => keyRingStory(first + index, COMMITS));
  return Array.from({ length: COMMITS }, (_, version) => stories.map((story) => story[version]));
}
