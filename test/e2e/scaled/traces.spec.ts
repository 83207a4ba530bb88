import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, newMember } from '../../support/accounts.js';
import { keyfold } from '../../support/cli.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { freshBroker } from '../../support/rabbitmq/fresh-broker.js';
import { OtherService } from '../../support/rabbitmq/other-service.js';
import { ScaledService } from '../../support/scaled-service.js';
import { newKeyLine } from '../../support/key-line.js';
import { TraceCollector } from '../../support/traces/trace-collector.js';

let collector: TraceCollector;
let service: ScaledService;
let other: OtherService;

beforeAll(async () => {
  collector = await TraceCollector.open();
  const broker = await freshBroker();
  const env = {
    KEYFOLD_RABBITMQ_URL: broker.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'accounts',
  };
  const applied = await keyfold(env, 'topology', 'apply');
  expect(applied.status, applied.err).toBe(0);
  service = await ScaledService.start(freshDatabaseUri(), { gateways: 1, workers: 1, env });
  other = await OtherService.connect(broker.url);
});

afterAll(async () => {
  await other?.close();
  await service?.dispose();
  await collector?.close();
});

it('a trace continues from the gateway to the worker', async () => {
  const member = await newMember(await adminOf(service.api()), 'ann');
  (await member.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line })).data();
  await other.event('ssh-key.added');
  expect(await service.stop()).toEqual([0, 0]);
  const [request] = collector.named('POST /api/me/sshkey/add');
  const command = 'POST /api/me/sshkey/add > AddSshKey';
  const traceId = request?.traceId ?? '';
  const expected = [command, `${command} > append commits`, `${command} > publish keyfold.events`];
  expect(collector.pathsOf(traceId)).toEqual(['POST /api/me/sshkey/add', ...expected]);
  expect(new Set(collector.spans.map(({ service: name }) => name))).toEqual(new Set(['accounts']));
  const ofTrace = collector.spans.filter((span) => span.traceId === traceId);
  const processOf = (name: string) => ofTrace.find((span) => span.name === name)?.instance;
  expect(processOf('append commits')).toBe(request?.instance);
  expect(processOf('publish keyfold.events')).not.toBe(request?.instance);
  expect(ofTrace.find(({ name }) => name === 'append commits')?.attributes['db.system.name']).toBe('mongodb');
});
