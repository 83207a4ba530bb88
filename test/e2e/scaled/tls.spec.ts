import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, newMember } from '../../support/accounts.js';
import { keyfold } from '../../support/cli.js';
import { lastingPort } from '../../support/lasting-port.js';
import { metricsWhen } from '../../support/metrics.js';
import { ReplicaSet } from '../../support/mongo/replica-set.js';
import { newPrivateCa, type PrivateCa } from '../../support/private-ca.js';
import { RabbitmqNode } from '../../support/rabbitmq/rabbitmq-node.js';
import { SCALED_SETTINGS } from '../../support/scaled-process.js';
import { ScaledService } from '../../support/scaled-service.js';
import type { ProcessEnv } from '../../support/standalone-process.js';

let ca: PrivateCa;
let mongo: ReplicaSet;
let broker: RabbitmqNode;
let service: ScaledService | undefined;
/** With TLS, but without the certificate of the authority. */
let addresses: ProcessEnv;

beforeAll(async () => {
  ca = newPrivateCa();
  const [amqps, management] = [await lastingPort(), await lastingPort()];
  // Only the test uses plain connections.
  const mongod = [
    '--tlsMode=preferTLS',
    `--tlsCertificateKeyFile=${ca.combined}`,
    '--tlsDisabledProtocols=TLS1_0,TLS1_1',
  ];
  [mongo, broker] = await Promise.all([
    ReplicaSet.start(1, { arguments: mongod }),
    RabbitmqNode.start([
      `listeners.ssl.1 = 127.0.0.1:${amqps}`,
      ...certificates('ssl_options'),
      `management.ssl.port = ${management}`,
      'management.ssl.ip = 127.0.0.1',
      ...certificates('management.ssl'),
    ]),
  ]);
  addresses = {
    KEYFOLD_MONGODB_URI: `${mongo.uri('secure')}&tls=true`,
    KEYFOLD_RABBITMQ_URL: `amqps://guest:guest@127.0.0.1:${amqps}`,
    KEYFOLD_RABBITMQ_MANAGEMENT_URL: `https://127.0.0.1:${management}`,
  };
});

afterAll(async () => {
  await service?.dispose();
  await Promise.all([broker?.dispose(), mongo?.stop()]);
  ca?.dispose();
});

const certificates = (prefix: string) => [
  `${prefix}.cacertfile = ${ca.authority}`,
  `${prefix}.certfile = ${ca.certificate}`,
  `${prefix}.keyfile = ${ca.key}`,
];

it('MongoDB and RabbitMQ with certificates of an unknown authority are not trusted', async () => {
  for (const { status, err } of await Promise.all([
    keyfold(addresses, 'migrate'),
    keyfold(addresses, 'topology', 'apply'),
  ]))
    expect([status, err]).toEqual([1, expect.stringMatching(/self-signed certificate|unable to verify/)]);
});

it('a service that trusts the authority works over TLS, and so does the command', async () => {
  const env = { ...SCALED_SETTINGS, ...addresses, NODE_EXTRA_CA_CERTS: ca.authority };
  for (const command of [['migrate'], ['topology', 'apply'], ['topology', 'diff']]) {
    expect(await keyfold(env, ...command), command.join(' ')).toMatchObject({ status: 0 });
  }
  service = await ScaledService.create(addresses['KEYFOLD_MONGODB_URI']!, { gateways: 1, workers: 1, env });
  await service.startAll();
  await newMember(await adminOf(service.api()), 'ann');
  const [worker] = service.workers;
  await metricsWhen(worker!.managementUrl, (series) => (series.get('keyfold_relay_published_total') ?? 0) > 0);
  expect(await worker!.readiness()).toMatchObject({ code: 200, checks: { store: 'ok', rabbitmq: 'ok' } });
});
