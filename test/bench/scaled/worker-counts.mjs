// Measures what further workers on one machine give: several processes share the slots of one feed.
import { setTimeout as pause } from 'node:timers/promises';
import { Child } from '../child.mjs';
import { cpuSeconds } from '../process-figures.mjs';
import { columns, whole } from '../table.mjs';
import { Broker } from './broker.mjs';
import { messaging, MongoReadModelStore, projections } from './built.mjs';
import { CommitWriter } from './commit-writer.mjs';
import { connected, drop, migrate } from './database.mjs';
import { relayLatency } from './relay-latency.mjs';
import { COMMITS, commitsOf } from './relay-rates.mjs';
import { untilDone, untilRead, untilShared } from './sharing.mjs';
import { expiringKey } from './story.mjs';

const COUNTS = [1, 2, 4, 8];
const ACCOUNTS = Number(process.env.BENCH_ACCOUNTS) || 20_000;
/** Accounts that warm up the compiler of each process. */
const WARMING_ACCOUNTS = 1_000;
/** Rings whose keys expire at the same time. */
const RINGS = Math.ceil(ACCOUNTS / 2);
/** The first keys expire when all rings have been written, the others when the processes are warm. */
const WARM_AFTER_MS = 8_000;
const EXPIRE_AFTER_MS = 25_000;
const CHECK_BEFORE_MS = 1_000;

const { projectorName } = projections;
const KINDS = [
  { name: 'projector', script: './scaled/projector.mjs', work: 'follow', reader: projectorName, measure: follow },
  { name: 'relay', script: './scaled/relay.mjs', work: 'follow', reader: messaging.relayName, measure: follow },
  { name: 'expiring worker', script: './scaled/projector.mjs', work: 'expire', reader: projectorName, measure: expire },
];

/** Returns one row for each number of projectors, of relays with the latency of a subscriber, and of workers that expire SSH keys. */
export async function workerCounts(server, seconds) {
  const broker = await Broker.start();
  try {
    const rows = [];
    for (const kind of KINDS)
      for (const count of COUNTS) rows.push(await rowOf({ server, broker, seconds }, kind, count));
    return rows;
  } finally {
    await broker.stop();
  }
}

/** The CPU time of mongod includes the inserts, except those of the rings whose keys expire. */
export function workersTable(rows) {
  const cells = rows.map(({ name, perSecond, cpu, databaseCpu, latency }) => [
    name,
    whole(perSecond),
    ...[cpu, databaseCpu].map((time) => `${Math.round(time)} us`),
    ...(latency ? [latency.p50, latency.p99].map((time) => `${time.toFixed(1)} ms`) : ['', '']),
  ]);
  return columns([['', 'events a second', 'cpu/event', 'mongod cpu/event', 'p50', 'p99'], ...cells]);
}

async function rowOf({ server, broker, seconds }, { name, script, work, reader, measure }, count) {
  const children = Array.from({ length: count }, () => new Child(script));
  const latency =
    name === 'relay' ? await relayLatency(server.uri('latency'), broker.url, children, seconds) : undefined;
  const uri = server.uri('workers');
  await migrate(uri);
  const start = async (connection) => {
    for (const child of children) child.send({ uri, url: broker.url, work });
    await untilShared(connection, reader, count);
  };
  const measured = async (events, done) => {
    const cpuOf = () => ({ own: sum(children.map(({ pid }) => cpuSeconds(pid))), database: cpuSeconds(server.pid) });
    const before = { ...cpuOf(), time: performance.now() };
    await done();
    const after = cpuOf();
    return {
      perSecond: (events * 1_000) / (performance.now() - before.time),
      cpu: ((after.own - before.own) * 1e6) / events,
      databaseCpu: ((after.database - before.database) * 1e6) / events,
    };
  };
  const figures = await connected(uri, (connection) => measure({ connection, reader, start, measured }));
  for (const child of children) child.end();
  await drop(uri);
  await broker.empty();
  return { name: `${count} ${name}${count > 1 ? 's' : ''}`, ...figures, latency };
}

/** Measures the reading of new commits. */
async function follow({ connection, reader, start, measured }) {
  await start(connection);
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
  return measured(ACCOUNTS * COMMITS, () => read(commits));
}

/** Measures how keys are announced that expire at the same time, each in its own ring. Those that warm up expire before. */
async function expire({ connection, start, measured }) {
  await start(connection);
  const [warm, at] = [Date.now() + WARM_AFTER_MS, Date.now() + EXPIRE_AFTER_MS];
  const writer = new CommitWriter(connection);
  const add = (first, count, expiresAt) =>
    writer.write(Array.from({ length: count }, (_, index) => expiringKey(first + index, expiresAt)));
  await add(3, WARMING_ACCOUNTS, warm);
  await add(3 + WARMING_ACCOUNTS, RINGS, at);
  await writer.end();
  if (Date.now() > warm) throw new Error(`the rings were not written in ${WARM_AFTER_MS} ms`);
  const readModels = new MongoReadModelStore(connection);
  const due = (limit) => readModels.listDue(projections.sshKeyRings, at, limit);
  await pause(at - CHECK_BEFORE_MS - Date.now());
  const { length } = await due(RINGS + 1);
  if (length !== RINGS) throw new Error(`${length} rings are due instead of ${RINGS}`);
  await pause(at - Date.now());
  return measured(RINGS, () => untilDone(async () => (await due(1)).length === 0, 'the expiry'));
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
