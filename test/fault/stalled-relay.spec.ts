import { relayName } from '@keyfold/messaging';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { keyfold } from '../support/cli.js';
import { readMetrics } from '../support/metrics.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { OtherService } from '../support/rabbitmq/other-service.js';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import { StoreInspection } from '../support/scaled-check.js';
import { migrate, ScaledService } from '../support/scaled-service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Enough for accounts in most slots. */
const ACCOUNTS = 24;
/** The longest time until another worker publishes, on a busy machine. Its connection is lost after 60 seconds at the earliest. */
const TAKE_OVER = { timeout: 40_000, interval: 200 };
const EVENTUALLY = { timeout: 60_000, interval: 200 };
/** The default is 10: a worker would see half a minute earlier that its connection is gone. */
const HEARTBEAT = 30;

let node: RabbitmqNode;
let service: ScaledService;
let inspection: StoreInspection;
let subscriber: OtherService;
/** Between the first worker and RabbitMQ. */
let proxy: TcpProxy;
let round = 0;

beforeAll(async () => {
  node = await RabbitmqNode.start();
  const env = { KEYFOLD_RABBITMQ_URL: node.url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: node.managementUrl };
  expect(await keyfold(env, 'topology', 'apply')).toMatchObject({ status: 0 });
  service = await ScaledService.create(freshDatabaseUri(), { gateways: 1, workers: 2, env });
  await migrate(service.uri);
  proxy = await TcpProxy.start(node.port);
  const [first, second] = service.workers;
  await first!.start({ KEYFOLD_RABBITMQ_URL: `${proxy.through(node.url)}?heartbeat=${HEARTBEAT}` });
  await Promise.all([second!.start(), service.gateway(0).start()]);
  inspection = await StoreInspection.open(service.uri);
  subscriber = await OtherService.connect(node.url);
});
afterAll(async () => {
  await service?.dispose();
  await subscriber?.close();
  await inspection?.close();
  await proxy?.close();
  await node?.dispose();
});

const checksOf = async (worker: number) => (await service.workers[worker]!.readiness())?.checks;
/** Returns the number of relayed slots of each worker, in ascending order. */
const shares = async () => {
  const slots = Map.groupBy(await inspection.leases.progress(relayName), ({ owner }) => owner);
  return [...slots.values()].map(({ length }) => length).toSorted((a, b) => a - b);
};

beforeEach(async () => {
  await expect.poll(shares, EVENTUALLY).toEqual([32, 32]);
});

async function createAccounts(): Promise<string[]> {
  const admin = await adminOf(service.api());
  round += 1;
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `member-${round}-${index}`);
  for (const name of names) await createAccount(admin, name);
  return names;
}

/** Returns the names that the subscriber has not received yet. */
const missing = (names: readonly string[]) => {
  const received = subscriber.events.map(({ content }) => content.toString());
  return names.filter((name) => !received.some((text) => text.includes(`"${name}"`)));
};

describe('a worker that loses RabbitMQ and keeps MongoDB', () => {
  it('leaves its slots to the other worker, says so, and takes them back once RabbitMQ confirms again', async () => {
    proxy.freeze(true);
    onTestFinished(() => proxy.freeze(false));
    const names = await createAccounts();
    await expect.poll(() => missing(names), TAKE_OVER).toEqual([]);
    expect(await shares()).toEqual([64]);
    const stalled = /^ok, but no confirm for \d+ seconds: .*\. Other workers have its slots$/;
    await expect.poll(() => checksOf(0), EVENTUALLY).toMatchObject({ relay: expect.stringMatching(stalled) });
    expect(await checksOf(1)).toMatchObject({ rabbitmq: 'ok', relay: 'ok' });

    proxy.freeze(false);
    await expect.poll(shares, EVENTUALLY).toEqual([32, 32]);
    await expect.poll(() => checksOf(0), EVENTUALLY).toMatchObject({ rabbitmq: 'ok', relay: 'ok' });
    const later = await createAccounts();
    await expect.poll(() => missing(later), EVENTUALLY).toEqual([]);
  });
});

const unconfirmedSeconds = async () => {
  const metrics = await Promise.all(service.workers.map(({ managementUrl }) => readMetrics(managementUrl)));
  return Math.max(...metrics.map((series) => series.get('keyfold_relay_unconfirmed_seconds') ?? NaN));
};

describe('a queue of a subscriber without an online member', () => {
  it('holds up only its own events, stays a warning of the worker that has them, and moves no slot', async () => {
    const admin = await adminOf(service.api());
    const { id } = await createAccount(admin, 'deleted');
    await subscriber.bindStream('sftp.deletions', 'account.deleted');
    await node.stopStream('sftp.deletions');
    (await admin.post(`/api/admin/user/delete?id=${id}`, {})).data();
    // Enough for the alert.
    await expect.poll(unconfirmedSeconds, EVENTUALLY).toBeGreaterThan(20);
    expect(await shares()).toEqual([32, 32]);
    const names = await createAccounts();
    await expect.poll(() => missing(names), EVENTUALLY).toEqual([]);
    expect(await unconfirmedSeconds()).toBeGreaterThan(20);

    await node.ctl('delete_queue', 'sftp.deletions', '-p', '/');
    await expect.poll(unconfirmedSeconds, EVENTUALLY).toBe(0);
    for (const worker of [0, 1])
      await expect.poll(() => checksOf(worker), EVENTUALLY).toMatchObject({ rabbitmq: 'ok', relay: 'ok' });
  });
});

describe('a log of events without an online member', () => {
  const env = () => ({
    KEYFOLD_STORE: 'mongodb',
    KEYFOLD_MONGODB_URI: service.uri,
    KEYFOLD_RABBITMQ_URL: node.url,
    KEYFOLD_RABBITMQ_MANAGEMENT_URL: node.managementUrl,
  });

  it('is named by readiness, log, feed status and topology diff, and the runbook gets events out again', async () => {
    await node.stopStream('keyfold.events.log');
    const names = await createAccounts();
    const warning =
      /^ok, but no confirm for \d+ seconds: keyfold\.events\.log, or a queue of a subscriber, takes no events/;
    await expect.poll(() => checksOf(0), EVENTUALLY).toMatchObject({ rabbitmq: expect.stringMatching(warning) });
    await expect.poll(() => checksOf(1), EVENTUALLY).toMatchObject({ rabbitmq: expect.stringMatching(warning) });
    expect(service.output()).toMatch(
      /cannot publish events, retrying: no confirm for 5 seconds: keyfold\.events\.log, or/,
    );
    await expect.poll(unconfirmedSeconds, EVENTUALLY).toBeGreaterThan(20);
    // Neither worker gives its slots up, because RabbitMQ answers both.
    expect(await shares()).toEqual([32, 32]);
    const status = await keyfold(env(), 'feed', 'status');
    expect(status.out).toMatch(/^Problem: the oldest unpublished event has waited for \d+ seconds/m);
    expect(await keyfold(env(), 'topology', 'diff')).toMatchObject({
      status: 1,
      out: expect.stringMatching(
        /^offline {4}queue keyfold\.events\.log\n.*\n +rabbitmqctl delete_queue keyfold.events.log -p/m,
      ),
    });

    await node.ctl('delete_queue', 'keyfold.events.log', '-p', '/');
    expect(await keyfold(env(), 'topology', 'apply')).toMatchObject({ status: 0 });
    await expect.poll(() => missing(names), EVENTUALLY).toEqual([]);
    for (const worker of [0, 1])
      await expect.poll(() => checksOf(worker), EVENTUALLY).toMatchObject({ rabbitmq: 'ok', relay: 'ok' });
    expect(await unconfirmedSeconds()).toBe(0);
  });
});
