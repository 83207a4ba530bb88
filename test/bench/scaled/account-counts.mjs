// Run by hand: measures what each route costs one client as the number of accounts grows.
import { Accounts } from '../accounts.mjs';
import { Child } from '../child.mjs';
import { median } from '../rounds.mjs';
import { columns } from '../table.mjs';
import { populate } from './population.mjs';
import { startGateway } from './processes.mjs';
import { timesOf } from './requests.mjs';
import { routes } from './routes.mjs';

const FEW = 1_000;
const MANY = Number(process.env.BENCH_ACCOUNTS) || 1_000_000;
const SAMPLED = 1_000;
/** Accounts that only warm up the compiler, so that the first request for another account shows its true cost. */
const WARMING = 200;
const KEYS = 1;
const ROUNDS = Math.min(3, Number(process.env.BENCH_ROUNDS) || 3);
const GOAL = 1.2;

/**
 * Measures every route with few and with many accounts, each round with new gateways. Returns rows of medians in
 * milliseconds.
 */
export async function accountCounts(server) {
  const databases = [await makeDatabase(server, 'few', FEW), await makeDatabase(server, 'many', MANY)];
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await p50OfRoutes(databases));
  return routes.map(({ name, mostMs }) => {
    const p50s = rounds.map((round) => round.get(name));
    const [few, many] = [0, 1].map((which) => median(p50s.map((each) => each[which])));
    return { name, few, many, mostMs, ratio: median(p50s.map(([ofFew, ofMany]) => ofMany / ofFew)) };
  });
}

export function accountsTable(rows) {
  const cells = rows.map(({ name, few, many, ratio, mostMs }) => [
    name,
    ...[few, many].map((time) => `${time.toFixed(2)} ms`),
    ratio.toFixed(2),
    goalText(mostMs),
  ]);
  const heading = (count) => `${count.toLocaleString('en')} accounts`;
  return columns([['p50, one client', heading(FEW), heading(MANY), 'ratio', 'goal'], ...cells]);
}

export const missedAccountGoals = (rows) =>
  rows
    .filter(({ ratio, many, mostMs }) => (mostMs ? !(many <= mostMs) : !(ratio <= GOAL)))
    .map(
      ({ name, ratio, many, mostMs }) =>
        `${name}: ${ratio.toFixed(2)}, ${many.toFixed(2)} ms, the goal is ${goalText(mostMs)}`,
    );

const goalText = (mostMs) => (mostMs ? `${mostMs} ms` : GOAL.toFixed(2));

async function makeDatabase(server, name, count) {
  const uri = server.uri(name);
  const started = performance.now();
  const accounts = await populate(uri, count + WARMING, KEYS, SAMPLED + WARMING);
  const projector = new Child('./scaled/projector.mjs');
  await projector.ask({ uri, work: 'projector' });
  projector.end();
  await server.settle();
  console.log(`${count} accounts created in ${Math.round((performance.now() - started) / 1000)} s`);
  // Evenly spread: every (SAMPLED + WARMING) / WARMING-th account warms up.
  const isWarming = (_, index) => index % Math.round((SAMPLED + WARMING) / WARMING) === 0;
  return {
    uri,
    total: count + WARMING,
    warming: accounts.filter(isWarming),
    sampled: accounts.filter((...each) => !isWarming(...each)),
  };
}

/** Returns the medians by route name, in the order of the databases. */
async function p50OfRoutes(databases) {
  const gateways = await Promise.all(databases.map(({ uri }) => startGateway(uri)));
  const admins = await Promise.all(
    gateways.map(async ({ url }) => ({ Authorization: (await Accounts.of(url)).adminToken })),
  );
  const measure = async (which) => {
    const p50s = new Map();
    for (const { name, requests } of routes) {
      const asked = await Promise.all(
        databases.map(async ({ total, [which]: accounts }, index) => {
          const { url } = gateways[index];
          return { url, requests: await requests({ url, accounts, admin: admins[index], total }) };
        }),
      );
      p50s.set(name, (await timesOf(asked)).map(median));
    }
    return p50s;
  };
  await measure('warming');
  const p50s = await measure('sampled');
  for (const gateway of gateways) await gateway.stop();
  return p50s;
}
