// npm run bench:scaled: compares one built gateway with a minimal service that does one MongoDB operation per request,
// then measures the projector and the rebuild. Starts its own mongod on this machine. Exits with 1 if it misses a goal.
// `-- accounts` measures the routes at 1,000 and at 1,000,000 accounts instead, `-- gateways` one to eight gateways, and
// `-- workers` one to eight workers: projectors, relays and the expiry of SSH keys.
// `-- gateway`, `-- projection` and `-- relay` (with RabbitMQ) measure one part. BENCH_SECONDS shortens a round,
// BENCH_ROUNDS sets their number and BENCH_ACCOUNTS the number of accounts. BENCH_PROFILES names a folder for CPU
// profiles of the gateway.
import { residentMegabytes, untilIdle } from '../process-figures.mjs';
import { alternate } from '../rounds.mjs';
import { missedGoals, report, rowsOf } from '../table.mjs';
import { accountCounts, accountsTable, missedAccountGoals } from './account-counts.mjs';
import { Server } from './database.mjs';
import { gatewayCounts, gatewaysTable, missedGatewayGoals } from './gateway-counts.mjs';
import { startWorker } from './processes.mjs';
import { missedProjectionGoals, projectionRates, projectionTable } from './projection-rates.mjs';
import { missedRelayGoals, relayRates, relayTable } from './relay-rates.mjs';
import { setStage } from './stage.mjs';
import { addsBeside, subjectsOf } from './subjects.mjs';
import { tableOf } from './table.mjs';
import { workerCounts, workersTable } from './worker-counts.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS) || 5;
const LONGEST_ROUND = 3;
/** The duration of the relay's latency measurement, in rounds. */
const LATENCY_ROUNDS = 5;
const seconds = Math.min(LONGEST_ROUND, Number(process.env.BENCH_SECONDS) || LONGEST_ROUND);
/** Large enough for a million accounts, so that the cache size does not affect the results. */
const CACHE_GIGABYTES = 4;

const [part = 'goals'] = process.argv.slice(2);
const parts = {
  goals: async (server) => [
    ...(await measureGateway(server)),
    ...(await measureProjection(server)),
    ...(await measureRelay(server)),
  ],
  gateway: measureGateway,
  projection: measureProjection,
  relay: measureRelay,
  accounts: measureAccounts,
  gateways: measureGatewayCounts,
  workers: measureWorkerCounts,
};
const server = await Server.start(CACHE_GIGABYTES);
try {
  report(await parts[part](server));
} finally {
  await server.stop();
}
process.exit();

async function measureGateway(server) {
  const stage = await setStage(server, 2 * (ROUNDS + 1));
  const subjects = subjectsOf(stage);
  console.log(`${subjects.length} subjects, ${ROUNDS} rounds of ${seconds} s each; no worker runs`);
  const rows = await measured(subjects);
  console.log(tableOf(rows));
  const worker = await startWorker(stage.uri);
  await untilIdle(worker.pid);
  const beside = await measured(addsBeside(stage, 'a worker beside'));
  console.log(tableOf(beside));
  const megabytes = [stage.gateway, worker].map(({ pid }) => Math.round(residentMegabytes(pid) ?? NaN));
  console.log(`${megabytes.join(' and ')} MB in the memory of gateway and worker after the run`);
  await Promise.all([worker.stop(), stage.end()]);
  return missedGoals([...rows, ...beside]);
}

async function measured(subjects) {
  // The first round warms up compilers and caches and does not count.
  await alternate(subjects, 1, Math.min(1, seconds));
  return rowsOf(subjects, await alternate(subjects, ROUNDS, seconds));
}

async function measureProjection(server) {
  const rows = await projectionRates(server);
  console.log(projectionTable(rows));
  return missedProjectionGoals(rows);
}

async function measureRelay(server) {
  const rates = await relayRates(server, ROUNDS, LATENCY_ROUNDS * seconds);
  console.log(relayTable(rates));
  return missedRelayGoals(rates);
}

async function measureAccounts(server) {
  const rows = await accountCounts(server);
  console.log(accountsTable(rows));
  return missedAccountGoals(rows);
}

async function measureGatewayCounts(server) {
  const rows = await gatewayCounts(server, ROUNDS, seconds);
  console.log(gatewaysTable(rows));
  return missedGatewayGoals(rows);
}

async function measureWorkerCounts(server) {
  console.log(workersTable(await workerCounts(server, LATENCY_ROUNDS * seconds)));
  return [];
}
