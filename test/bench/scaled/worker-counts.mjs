// Measures what further workers on one machine give: several processes share the slots of one feed.
import { Child } from '../child.mjs';
import { cpuSeconds } from '../process-figures.mjs';
import { columns, whole } from '../table.mjs';
import { Broker } from './broker.mjs';
import { messaging, projections } from './built.mjs';
import { CommitWriter } from './commit-writer.mjs';
import { connected, drop, migrate } from './database.mjs';
import { relayLatency } from './relay-latency.mjs';
import { COMMITS, commitsOf } from './relay-rates.mjs';
import { untilRead, untilShared } from './sharing.mjs';

const COUNTS = [1, 2, 4, 8];
const ACCOUNTS = Number(process.env.BENCH_ACCOUNTS) || 20_000;
/** Accounts that warm up the compiler of each process. */
const WARMING_ACCOUNTS = 1_000;
const KINDS = {
  projector: { script: './scaled/projector.mjs', reader: projections.projectorName },
  relay: { script: './scaled/relay.mjs', reader: messaging.relayName },
};

/** Returns one row for each number of projectors, and of relays with the latency of a subscriber. */
export async function workerCounts(server, seconds) {
  const broker = await Broker.start();
  try {
    const rows = [];
    for (const kind of Object.keys(KINDS))
      for (const count of COUNTS) rows.push(await measure({ server, broker, seconds }, kind, count));
    return rows;
  } finally {
    await broker.stop();
  }
}

/** The CPU time of mongod includes the inserts. */
export function workersTable(rows) {
  const cells = rows.map(({ name, perSecond, cpu, databaseCpu, latency }) => [
    name,
    whole(perSecond),
    ...[cpu, databaseCpu].map((time) => `${Math.round(time)} us`),
    ...(latency ? [latency.p50, latency.p99].map((time) => `${time.toFixed(1)} ms`) : ['', '']),
  ]);
  return columns([['', 'events a second', 'cpu/event', 'mongod cpu/event', 'p50', 'p99'], ...cells]);
}

async function measure({ server, broker, seconds }, kind, count) {
  const { script, reader } = KINDS[kind];
  const children = Array.from({ length: count }, () => new Child(script));
  const latency =
    kind === 'relay' ? await relayLatency(server.uri('latency'), broker.url, children, seconds) : undefined;
  const uri = server.uri('workers');
  await migrate(uri);
  for (const child of children) child.send({ uri, url: broker.url, work: 'follow' });
  const figures = await connected(uri, async (connection) => {
    await untilShared(connection, reader, count);
    const writer = new CommitWriter(connection);
    let written = 0;
    const read = async (commits) => {
      for (const version of commits) await writer.write(version);
      await writer.end();
      written += commits.flat().length;
      await untilRead(connection, reader, written);
    };
    await read(commitsOf(3, WARMING_ACCOUNTS));
    const commits = commitsOf(3 + WARMING_ACCOUNTS, ACCOUNTS);
    const cpuOf = () => ({ own: sum(children.map(({ pid }) => cpuSeconds(pid))), database: cpuSeconds(server.pid) });
    const before = { ...cpuOf(), time: performance.now() };
    await read(commits);
    const [after, events] = [cpuOf(), ACCOUNTS * COMMITS];
    return {
      perSecond: (events * 1_000) / (performance.now() - before.time),
      cpu: ((after.own - before.own) * 1e6) / events,
      databaseCpu: ((after.database - before.database) * 1e6) / events,
    };
  });
  for (const child of children) child.end();
  await drop(uri);
  await broker.empty();
  return { name: `${count} ${kind}${count > 1 ? 's' : ''}`, ...figures, latency };
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
