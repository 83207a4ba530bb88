import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../../support/accounts.js';
import { keyfold } from '../../support/cli.js';
import { lastingPort } from '../../support/lasting-port.js';
import { growth, metricsWhen, readMetrics, type Series } from '../../support/metrics.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { freshBroker } from '../../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../../support/rabbitmq/other-service.js';
import { migrate, ScaledService } from '../../support/scaled-service.js';
import { newKeyLine } from '../../support/key-line.js';

const messages = (queue: string, outcome: string) =>
  `keyfold_consumer_messages_total{queue="${queue}",outcome="${outcome}"}`;
const events = (type: string) => `keyfold_events_appended_total{type="${type}"}`;
const requests = (method: string, route: string, count: number) => ({
  [`keyfold_http_requests_total{method="${method}",route="${route}",status="200"}`]: count,
  [`keyfold_http_request_duration_seconds_count{route="${route}"}`]: count,
});
const PARKED = 'keyfold_parked_messages{queue="keyfold.commands.parked"}';

describe('the metrics of a gateway and a worker', () => {
  let service: ScaledService;
  let other: OtherService;
  let gateway: string;
  let worker: string;

  beforeAll(async () => {
    const broker = await freshBroker();
    const env = { KEYFOLD_RABBITMQ_URL: broker.url };
    expect((await keyfold(env, 'topology', 'apply')).out).toContain('created');
    service = await ScaledService.start(freshDatabaseUri(), { gateways: 1, workers: 1, env });
    other = await OtherService.connect(broker.url);
    [gateway = '', worker = ''] = service.processes.map(({ managementUrl }) => managementUrl);
  });

  afterAll(async () => {
    await other?.close();
    await service?.dispose();
  });

  /** Waits until everything was projected, published and handled. */
  const whenIdle = async (): Promise<[gateway: Series, worker: Series]> => {
    const zeros = ['projector_pending_commits', 'relay_pending_commits', 'relay_oldest_unsent_seconds'];
    const idle = await metricsWhen(gateway, (series) => series.get('keyfold_http_requests_in_flight') === 0);
    const done = await metricsWhen(
      worker,
      (series) =>
        zeros.every((name) => series.get(`keyfold_${name}`) === 0) &&
        series.get('keyfold_projector_slots') === 64 &&
        series.get('keyfold_relay_slots') === 64,
    );
    return [idle, done];
  };

  it('count requests, messages and their outcomes exactly', async () => {
    const admin = await adminOf(service.api());
    const [gatewayBefore, workerBefore] = await whenIdle();
    const receivedBefore = other.events.length;

    const ann = await newMember(admin, 'ann');
    const { id } = await accountNamed(admin, 'ann');
    const keys = [newKeyLine(), newKeyLine()];
    for (const [n, { line }] of keys.entries())
      (await ann.post('/api/me/sshkey/add', { title: `key ${n}`, key: line })).data();
    const time = new Date(Date.now() + 60_000).toISOString();
    const use = { account: id, address: '192.0.2.7', time };
    other.command('ssh-key.use', { ...use, fingerprint: keys[0]!.fingerprint });
    other.command('ssh-key.use', { ...use, fingerprint: `SHA256:${'A'.repeat(43)}` });
    await other.event('ssh-key.used');
    await until(async () => ((await other.waiting('keyfold.commands.parked')) === 1 ? true : undefined));

    const [gatewayAfter, workerAfter] = await whenIdle();
    expect(growth(gatewayBefore, gatewayAfter)).toEqual({
      ...requests('POST', '/api/admin/user/create', 1),
      ...requests('GET', '/api/admin/user/list', 1),
      ...requests('POST', '/api/auth/login', 1),
      ...requests('POST', '/api/me/sshkey/add', 2),
      'keyfold_login_attempts_total{factor="password",outcome="accepted"}': 1,
      'keyfold_security_events_total{event="user_created"}': 1,
      keyfold_password_hash_duration_seconds_count: 2,
      [events('AccountRegistered')]: 1,
      [events('SessionStarted')]: 1,
      [events('SshKeyAdded')]: 2,
      keyfold_append_duration_seconds_count: 4,
      keyfold_append_batch_commits_count: 4,
    });
    const grown = growth(workerBefore, workerAfter);
    const { keyfold_relay_page_messages_count: pages, ...exactly } = grown;
    const received = other.events.length - receivedBefore;
    expect(received).toBe(5);
    expect(exactly).toEqual({
      [messages('keyfold.commands.q', 'done')]: 1,
      [messages('keyfold.commands.q', 'parked')]: 1,
      [events('SshKeyUsed')]: 1,
      keyfold_append_duration_seconds_count: 1,
      keyfold_append_batch_commits_count: 1,
      keyfold_relay_published_total: received,
      keyfold_relay_confirm_duration_seconds_count: received,
    });
    expect(pages).toBeGreaterThanOrEqual(1);
    const ofPages = (series: Series) => series.get('keyfold_relay_page_messages_sum') ?? 0;
    expect(ofPages(workerAfter) - ofPages(workerBefore)).toBe(received);
  });

  it('report the current state', async () => {
    const [ofGateway, ofWorker] = await whenIdle();
    for (const series of [ofGateway, ofWorker]) expect(series.get('keyfold_store_available')).toBe(1);
    for (const [series, process] of [
      [ofGateway, 'gateway'],
      [ofWorker, 'worker'],
    ] as const)
      expect([...series.keys()].find((name) => name.startsWith('keyfold_build_info'))).toContain(
        `process="${process}"`,
      );
    for (const role of ['publisher', 'consumer'])
      expect(ofWorker.get(`keyfold_broker_connected{role="${role}"}`)).toBe(1);
    expect(ofWorker.get('keyfold_relay_ready')).toBe(1);
    expect(ofWorker.get('keyfold_relay_parked_accounts')).toBe(0);
    expect(ofWorker.get('keyfold_consumer_consuming{queue="keyfold.rpc"}')).toBe(1);
    expect(ofWorker.get(PARKED)).toBe(1);
    expect(ofWorker.get(messages('keyfold.commands.q', 'retried'))).toBe(0);
    expect(ofWorker.get('keyfold_projector_oldest_unread_seconds')).toBe(0);
    expect(ofWorker.get('keyfold_projector_parked_streams')).toBe(0);
    expect([...ofGateway.keys()].filter((name) => /relay|projector|consumer|broker/.test(name))).toEqual([]);
    expect([...ofWorker.keys()].filter((name) => /http|login|hash/.test(name))).toEqual([]);
  });
});

describe('the metrics of a worker whose broker is down', () => {
  it('report it and omit what only the broker knows', async () => {
    const service = await ScaledService.create(freshDatabaseUri(), {
      gateways: 0,
      workers: 1,
      env: { KEYFOLD_RABBITMQ_URL: `amqp://guest:guest@127.0.0.1:${await lastingPort()}` },
    });
    await migrate(service.uri);
    const [worker] = service.workers;
    try {
      worker!.spawn();
      await until(async () => ((await worker!.liveness()) === 200 ? true : undefined));
      const series = await metricsWhen(
        worker!.managementUrl,
        (each) => each.get('keyfold_store_available') === 1 && each.get('keyfold_projector_slots') === 64,
      );
      for (const role of ['publisher', 'consumer'])
        expect(series.get(`keyfold_broker_connected{role="${role}"}`)).toBe(0);
      expect(series.get('keyfold_relay_ready')).toBe(0);
      expect(series.get('keyfold_relay_published_total')).toBe(0);
      expect(series.has(PARKED)).toBe(false);
      expect((await readMetrics(worker!.managementUrl)).has('keyfold_projector_pending_commits')).toBe(true);
    } finally {
      await service.dispose();
    }
  });
});

describe('the metrics of a gateway whose store is down', () => {
  it('report it while the gateway waits for the store', async () => {
    const service = await ScaledService.create(`mongodb://127.0.0.1:${await lastingPort()}/keyfold?replicaSet=rs0`, {
      gateways: 1,
      workers: 0,
    });
    const gateway = service.gateway(0);
    try {
      gateway.spawn();
      await until(async () => ((await gateway.liveness()) === 200 ? true : undefined));
      const series = await readMetrics(gateway.managementUrl);
      expect([...series.keys()]).toEqual([
        expect.stringMatching(/^keyfold_build_info\{.*process="gateway"\}$/),
        'keyfold_store_available',
      ]);
      expect(series.get('keyfold_store_available')).toBe(0);
    } finally {
      await service.dispose();
    }
  });
});
