// Measures adds to one to eight gateways on one machine: the CPU time of gateways and mongod for each add, and the commits of a batch.
import { Child } from '../child.mjs';
import { cpuSeconds, untilIdle } from '../process-figures.mjs';
import { alternate } from '../rounds.mjs';
import { columns, decimals, rowsOf, whole } from '../table.mjs';
import { drop } from './database.mjs';
import { populate } from './population.mjs';
import { startGateway } from './processes.mjs';

/** New ones for each round, so that rings stay small; more than clients, so that none has to wait for its account. */
const ACCOUNTS = 400;
const MOST_GATEWAYS = 8;
/** Numbers of gateways, and of clients of each. */
const LOADS = [
  { count: 1, clients: 256 },
  { count: 1, clients: 64 },
  { count: 1, clients: 32 },
  { count: 1, clients: 8 },
  { count: 4, clients: 64 },
  { count: 8, clients: 32 },
  { count: 8, clients: 32, stays: true },
  { count: 8, clients: 8 },
];
/** The most CPU time of an add over eight gateways, as a multiple of that over one with as many clients. */
const GOAL = 1.2;
/** The most CPU time of mongod for an add over one gateway with 32 clients, in microseconds. */
const DATABASE_GOAL = 150;
/** A gateway is slow until its code is compiled, which takes this load for so many rounds. */
const WARM_UP = { count: 1, clients: 64 };
const WARM_UP_ROUNDS = 4;
/** Adds before each measurement, after which a gateway no longer counts on those that had a load before. */
const LEAD_IN_SECONDS = 0.7;

/** Returns the rows for `gatewaysTable`. */
export async function gatewayCounts(server, rounds, seconds) {
  const uri = server.uri('gateways');
  const accounts = await populate(uri, ACCOUNTS * (rounds + MOST_GATEWAYS), 1);
  const headers = accounts.map((account) => account.headers);
  const gateways = [];
  while (gateways.length < MOST_GATEWAYS) gateways.push(await startGateway(uri));
  const stage = { server, gateways, generator: new Child('./scaled/hopping.mjs') };
  for (const gateway of gateways) {
    const alone = { ...stage, gateways: [gateway], accounts: headers.splice(0, ACCOUNTS) };
    await measure(alone, WARM_UP, WARM_UP_ROUNDS * seconds);
  }
  let measured = 0;
  const subjects = LOADS.map((load) => ({
    name: nameOf(load),
    once: true,
    measure: async (seconds) => {
      const round = Math.floor(measured / LOADS.length);
      const accounts = headers.slice(round * ACCOUNTS, (round + 1) * ACCOUNTS);
      if (measured % LOADS.length === 0) await introduce(stage, accounts);
      measured += 1;
      return measure({ ...stage, accounts }, load, seconds);
    },
  }));
  const rows = rowsOf(subjects, await alternate(subjects, rounds, seconds));
  stage.generator.end();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await drop(uri);
  return rows;
}

/** `stays`: each account stays with one gateway, as behind a balancer that hashes tokens. */
const nameOf = ({ count, clients, stays }) =>
  `${count} x ${clients} clients${stays ? ', each account at one gateway' : ''}`;

/** Adds a key to each account at each gateway, because the first command of an account at a gateway loads it. */
async function introduce({ gateways, generator }, accounts) {
  const urls = gateways.map(({ url }) => url);
  for (let shift = 0; shift < urls.length; shift += 1) {
    const pools = shared(accounts, urls.length, shift);
    await generator.ask({ urls, pools, connections: pools[0].length, amount: pools[0].length });
  }
}

async function measure({ server, gateways, generator, accounts }, { count, clients, stays }, seconds) {
  const used = gateways.slice(0, count);
  const pools = stays ? shared(accounts, count) : [accounts];
  const load = { urls: used.map(({ url }) => url), pools, connections: clients };
  await generator.ask({ ...load, duration: LEAD_IN_SECONDS });
  const before = await figuresOf(server, used);
  const { answered, perSecond } = await generator.ask({ ...load, duration: seconds });
  for (const { pid } of used) await untilIdle(pid);
  const after = await figuresOf(server, used);
  const each = (key) => (after[key] - before[key]) / answered;
  return {
    perSecond,
    gatewayCpu: each('gatewayCpu') * 1e6,
    databaseCpu: each('databaseCpu') * 1e6,
    batch: (after.commits - before.commits) / (after.batches - before.batches),
    finds: each('finds'),
    conflicts: each('conflicts'),
  };
}

/** Divides the accounts among this number of gateways. A shift gives each account to another one. */
const shared = (accounts, count, shift = 0) =>
  Array.from({ length: count }, (_, at) => accounts.filter((_, index) => (index + shift) % count === at));

async function figuresOf(server, gateways) {
  const metrics = await Promise.all(gateways.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()));
  const sum = (name) => metrics.reduce((sum, text) => sum + Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)[1]), 0);
  return {
    finds: (await server.counters()).finds,
    databaseCpu: cpuSeconds(server.pid),
    gatewayCpu: gateways.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
    commits: sum('keyfold_append_batch_commits_sum'),
    batches: sum('keyfold_append_batch_commits_count'),
    conflicts: sum('keyfold_append_conflicts_total'),
  };
}

/** Formats the rows for a terminal. CPU times, finds and conflicts are those of an add. */
export function gatewaysTable(rows) {
  const cells = rows.map(({ name, perSecond, gatewayCpu, databaseCpu, batch, finds, conflicts }) => [
    name,
    whole(perSecond),
    ...[gatewayCpu, databaseCpu].map((time) => `${Math.round(time)} us`),
    ...[batch, finds, conflicts].map(decimals),
  ]);
  return columns([['', 'a second', 'gateway cpu', 'mongod cpu', 'batch', 'finds', 'conflicts'], ...cells]);
}

/** Returns one line for each missed goal. */
export function missedGatewayGoals(rows) {
  const [one, eight] = [
    { count: 1, clients: 32 },
    { count: 8, clients: 32 },
  ].map((load) => rows.find(({ name }) => name === nameOf(load)));
  const ratios = { gateways: eight.gatewayCpu / one.gatewayCpu, mongod: eight.databaseCpu / one.databaseCpu };
  return [
    ...Object.entries(ratios)
      .filter(([, ratio]) => !(ratio <= GOAL))
      .map(([who, ratio]) => `${eight.name}: ${decimals(ratio)} times the CPU time of ${who}, the goal is ${GOAL}`),
    ...(one.databaseCpu <= DATABASE_GOAL
      ? []
      : [`${one.name}: ${Math.round(one.databaseCpu)} us of mongod, the goal is ${DATABASE_GOAL} us`]),
  ];
}
