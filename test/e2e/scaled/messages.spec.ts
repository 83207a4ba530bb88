import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../../support/accounts.js';
import { keyfold } from '../../support/cli.js';
import { lastingPort } from '../../support/lasting-port.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { freshBroker } from '../../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../../support/rabbitmq/other-service.js';
import { migrate, ScaledService } from '../../support/scaled-service.js';
import { newKeyLine } from '../../support/key-line.js';

type ListedKey = Readonly<{ added_time: string; last_used_time: string }>;

describe('two workers with RabbitMQ', () => {
  let service: ScaledService;
  let other: OtherService;

  beforeAll(async () => {
    const broker = await freshBroker();
    const env = { KEYFOLD_RABBITMQ_URL: broker.url };
    const applied = await keyfold(env, 'topology', 'apply');
    expect(applied.out).toContain('created');
    service = await ScaledService.start(freshDatabaseUri(), { gateways: 1, workers: 2, env });
    other = await OtherService.connect(broker.url);
  });

  afterAll(async () => {
    await other?.close();
    await service?.dispose();
  });

  it('publish what a gateway did, and carry out commands of another service', async () => {
    const admin = await adminOf(service.api());
    const member = await newMember(admin, 'ann');
    const { line, fingerprint } = newKeyLine();
    (await member.post('/api/me/sshkey/add', { title: 'laptop', key: line })).data();
    const { id } = await accountNamed(admin, 'ann');
    expect(await other.event('ssh-key.added')).toMatchObject({ accountId: id, fingerprint });
    const time = new Date(Date.now() + 60_000).toISOString();
    other.command('ssh-key.use', { account: id, fingerprint, address: '192.0.2.7', time });
    const listed = async () => (await member.get('/api/me/sshkey/list')).data<{ content: ListedKey[] }>().content;
    const used = await until(async () => (await listed()).find((each) => each.last_used_time !== each.added_time));
    expect(Date.parse(used.last_used_time)).toBe(Date.parse(time));
    expect(await other.event('ssh-key.used')).toMatchObject({ accountId: id, usedAt: time });
    expect(await other.ask('ssh-keys.look-up', { username: 'ann' })).toEqual({ ok: true, data: null });
  });

  it('run every command once, even while one of them shuts down', async () => {
    const admin = await adminOf(service.api());
    const member = await newMember(admin, 'bob');
    const keys = Array.from({ length: 20 }, (_, n) => ({ title: `key ${n}`, ...newKeyLine() }));
    for (const { title, line } of keys) (await member.post('/api/me/sshkey/add', { title, key: line })).data();
    const { id } = await accountNamed(admin, 'bob');
    const time = new Date(Date.now() + 60_000).toISOString();
    for (const { fingerprint } of keys)
      other.command('ssh-key.use', { account: id, fingerprint, address: '192.0.2.7', time });
    const [first] = service.workers;
    expect(await first?.stop()).toBe(0);
    const ofBob = () =>
      other.events.filter(
        ({ properties, content }) => properties.type === 'ssh-key.used' && content.includes(`"accountId":${id},`),
      );
    await until(() =>
      new Set(ofBob().map(({ properties }) => String(properties.messageId))).size >= 20 ? true : undefined,
    );
    expect(new Set(ofBob().map(({ content }) => content.toString())).size).toBe(20);
    expect(await other.waiting('keyfold.commands.parked')).toBe(0);
    await first?.start();
  });
});

describe('a worker without RabbitMQ', () => {
  it('starts, reports what is missing and is not ready; the gateway is ready', async () => {
    const address = `amqp://guest:hidden-word@127.0.0.1:${await lastingPort()}`;
    const service = await ScaledService.create(freshDatabaseUri(), {
      gateways: 1,
      workers: 1,
      env: { KEYFOLD_RABBITMQ_URL: address },
    });
    await migrate(service.uri);
    const [worker] = service.workers;
    try {
      worker!.spawn();
      await service.gateway(0).start();
      const readiness = await until(async () => {
        const seen = await worker!.readiness();
        return seen && 'rabbitmq' in seen.checks && seen.checks['projector'] === 'ok' ? seen : undefined;
      });
      expect(readiness).toMatchObject({ code: 503, status: 'not ready', checks: { store: 'ok', projector: 'ok' } });
      expect(readiness.checks['rabbitmq']).toMatch(/^RabbitMQ at 127\.0\.0\.1:\d+ is unavailable/);
      expect(readiness.checks['consumers']).toContain('keyfold.commands.q is not consumed');
      expect(readiness.checks['relay']).toBe('waiting for RabbitMQ');
      expect(await service.stop()).toEqual([0, 0]);
      expect(service.output()).not.toContain('hidden-word');
    } finally {
      await service.dispose();
    }
  });
});
