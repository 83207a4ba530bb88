// Measures the gain of a second gateway on the same machine: the same load on one gateway and on two, with the CPU time
// of each process.
import { Accounts } from '../accounts.mjs';
import { Child } from '../child.mjs';
import { SUCCESS } from '../load.mjs';
import { cpuSeconds, untilIdle } from '../process-figures.mjs';
import { alternate } from '../rounds.mjs';
import { CLIENTS, KEYS_LISTED, KEYS_PER_ROUND } from '../stage.mjs';
import { columns, decimals, rowsOf, whole } from '../table.mjs';
import { drop, migrate } from './database.mjs';
import { startGateway } from './processes.mjs';

const LOGINS = 16;

/** Returns the rows for `gatewaysTable`. Accounts are created over the API, so that a login costs a real hash. */
export async function gatewayCounts(server, rounds, seconds) {
  const uri = server.uri('gateways');
  await migrate(uri);
  const gateways = [await startGateway(uri), await startGateway(uri)];
  const generators = [new Child('./generator.mjs'), new Child('./generator.mjs')];
  const accounts = await Accounts.of(gateways[0].url);
  const stage = {
    server,
    gateways,
    generators,
    readers: await accounts.makeWithKeys(CLIENTS, KEYS_LISTED),
    adders: await accounts.make(CLIENTS * 2 * (rounds + 1)),
  };
  const subjects = subjectsOf(stage);
  await alternate(subjects, 1, Math.min(1, seconds));
  const rows = rowsOf(subjects, await alternate(subjects, rounds, seconds));
  for (const generator of generators) generator.end();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await drop(uri);
  return rows;
}

function subjectsOf(stage) {
  const { readers, adders } = stage;
  const signedIn = readers.map(({ headers }) => ({ headers }));
  const fresh = () => adders.splice(0, CLIENTS).map(({ headers }) => ({ headers }));
  const kinds = {
    'GET /ping': { path: '/ping', expects: 'pong', clients: () => Array.from({ length: CLIENTS }, () => ({})) },
    'GET /api/me': { path: '/api/me', clients: () => signedIn },
    [`GET /api/me/sshkey/list, ${KEYS_LISTED} keys`]: { path: '/api/me/sshkey/list', clients: () => signedIn },
    'POST /api/me/sshkey/add': { path: '/api/me/sshkey/add', method: 'POST', keys: KEYS_PER_ROUND, clients: fresh },
    'POST /api/auth/login': {
      path: '/api/auth/login',
      method: 'POST',
      clients: () => readers.slice(0, LOGINS).map(({ login }) => login),
    },
  };
  return Object.entries(kinds).flatMap(([name, load]) => {
    const [one, two] = [`${name}, 1 gateway`, `${name}, 2 gateways`];
    const once = load.clients === fresh;
    return [
      { name: one, once, measure: (seconds) => measure(stage, 1, load, seconds) },
      { name: two, once, measure: (seconds) => measure(stage, 2, load, seconds), base: one },
    ];
  });
}

/** Uses two generators in either case, so that a single one is not the limit. Cores are averages. */
async function measure({ server, gateways, generators }, count, { path, clients, ...load }, seconds) {
  const used = gateways.slice(0, count);
  const pids = {
    gateways: used.map(({ pid }) => pid),
    mongod: [server.pid],
    generators: generators.map(({ pid }) => pid),
  };
  const senders = clients();
  const half = Math.ceil(senders.length / 2);
  const shares = [senders.slice(0, half), senders.slice(half)];
  const before = timesOf(pids);
  const figures = await Promise.all(
    generators.map((generator, index) => {
      const url = used[index % count].url + path;
      return generator.ask({ expects: SUCCESS, ...load, url, clients: shares[index], seconds });
    }),
  );
  const cores = mapped(timesOf(pids), (time, who) => (time - before[who]) / seconds);
  for (const { pid } of used) await untilIdle(pid);
  const perSecond = figures.reduce((sum, figure) => sum + figure.perSecond, 0);
  return { perSecond, p99: Math.max(...figures.map(({ p99 }) => p99)), ...cores };
}

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
const timesOf = (pids) => mapped(pids, (all) => all.reduce((sum, pid) => sum + cpuSeconds(pid), 0));

/** Formats the rows for a terminal. */
export function gatewaysTable(rows) {
  const cells = rows.map(({ name, perSecond, p99, gateways, mongod, generators, ratio }) => [
    name,
    whole(perSecond),
    `${p99} ms`,
    ...[gateways, mongod, generators, ratio].map(decimals),
  ]);
  return columns([['', 'a second', 'p99', 'cores: gateways', 'mongod', 'load', 'ratio'], ...cells]);
}
