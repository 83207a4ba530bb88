import { Child } from '../child.mjs';
import { cpuSeconds } from '../process-figures.mjs';
import { median } from '../rounds.mjs';
import { columns, whole } from '../table.mjs';
import { CommitWriter } from './commit-writer.mjs';
import { connected, drop, migrate } from './database.mjs';
import { keyRingStory } from './story.mjs';

const STREAMS = 20_000;
const COMMITS = 5;
const ROUNDS = Math.min(3, Number(process.env.BENCH_ROUNDS) || 3);
/** Streams that warm up compilers and caches first. */
const WARMING_STREAMS = 4_000;
const GOAL = 25_000;

/** Two orders of the same commits in the feed: consecutive within a stream, or spread over the whole feed. */
const ORDERS = { together: inOrder, spread: (count) => shuffled(inOrder(count)) };
const WORKS = ['projector', 'rebuild'];

/** Runs a worker's projector and a rebuild over `STREAMS` streams and returns the medians of the rounds. */
export async function projectionRates(server) {
  const rows = new Map();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const order of Object.keys(ORDERS)) {
      for (const { work, ...figures } of await measure(server, order)) {
        const name = `${work}, commits of a stream ${order}`;
        rows.set(name, [...(rows.get(name) ?? []), figures]);
      }
    }
  }
  return [...rows].map(([name, figures]) => {
    const middle = (key) => median(figures.map((figure) => figure[key]));
    return { name, perCpuSecond: middle('perCpuSecond'), perSecond: middle('perSecond'), database: middle('database') };
  });
}

export function projectionTable(rows) {
  const cells = rows.map(({ name, perCpuSecond, perSecond, database }) => [
    name,
    ...[perCpuSecond, perSecond].map(whole),
    Number.isFinite(database) ? `${database.toFixed(1)} us` : '',
    whole(GOAL),
  ]);
  return columns([['events', 'a second of its cpu', 'a second', 'mongod cpu/event', 'goal'], ...cells]);
}

export const missedProjectionGoals = (rows) =>
  rows
    .filter(({ perCpuSecond }) => !(perCpuSecond >= GOAL))
    .map(
      ({ name, perCpuSecond }) =>
        `${name}: ${Math.round(perCpuSecond)} events a second of its cpu, the goal is ${GOAL}`,
    );

/** Measures a small database first, then the real one, in one process. */
async function measure(server, order) {
  const child = new Child('./scaled/projector.mjs');
  const figures = [];
  for (const streams of [WARMING_STREAMS, STREAMS]) {
    const uri = server.uri('projection');
    await fill(uri, ORDERS[order](streams));
    await server.settle();
    for (const work of WORKS) {
      const before = cpuSeconds(server.pid);
      const { cpuSeconds: own, seconds, made } = await child.ask({ uri, work });
      if (made !== streams) throw new Error(`${work} wrote ${made} of ${streams} documents`);
      const events = streams * COMMITS;
      const database = ((cpuSeconds(server.pid) - before) * 1e6) / events;
      if (streams === STREAMS)
        figures.push({ work, perCpuSecond: events / own, perSecond: events / seconds, database });
    }
    await drop(uri);
  }
  child.end();
  return figures;
}

/** Writes streams of `COMMITS` commits with one event each, in the feed order that `streams` lists. */
async function fill(uri, streams) {
  await migrate(uri);
  const stories = new Map();
  await connected(uri, async (connection) => {
    const writer = new CommitWriter(connection);
    for (const stream of streams) {
      const story = stories.get(stream) ?? keyRingStory(stream, COMMITS);
      await writer.write(story.splice(0, 1));
      if (story.length > 0) stories.set(stream, story);
      else stories.delete(stream);
    }
    await writer.end();
  });
}

/** Returns the account of each commit. Accounts 1 and 2 are special. */
function inOrder(count) {
  return Array.from({ length: count * COMMITS }, (_, index) => 3 + Math.floor(index / COMMITS));
}

function shuffled(items) {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
  return items;
}
