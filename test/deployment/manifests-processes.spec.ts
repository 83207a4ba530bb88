import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readCliBrokerSettings, readCliSettings } from '../../apps/cli/src/cli.settings.js';
import { builtBy, type Manifest } from '../support/checkers/kustomize.js';
import { componentOf, containersOf, environmentOf, workloadsOf } from '../support/checkers/pods.js';
import { SCALED_SETTINGS, ScaledProcess } from '../support/scaled-process.js';

const EXAMPLE = resolve(import.meta.dirname, '../../deploy/kubernetes/example');
/** The content of the files in the pods. Nothing listens at these addresses. */
const FILES = {
  'mongodb-uri': 'mongodb://127.0.0.1:1/keyfold?replicaSet=rs0',
  'rabbitmq-url': 'amqp://127.0.0.1:1/keyfold',
  'rabbitmq-management-url': 'http://127.0.0.1:1',
  'token-secret': SCALED_SETTINGS.KEYFOLD_TOKEN_SECRET,
  'sealing-key': SCALED_SETTINGS.KEYFOLD_SEALING_KEY,
  'admin-password': SCALED_SETTINGS.KEYFOLD_ADMIN_PASSWORD,
};

let manifests: Manifest[];
const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
const started: ScaledProcess[] = [];

beforeAll(async () => {
  manifests = await builtBy(EXAMPLE);
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), `${content}\n`);
});
afterAll(async () => {
  await Promise.all(started.map((process) => process.dispose()));
  rmSync(folder, { recursive: true });
});

/** Returns the containers of a component with their environments, whose file paths point to files of this test. */
function containersFor(component: string) {
  const workload = workloadsOf(manifests).find((each) => componentOf(each) === component);
  if (!workload) throw new Error(`${component} does not exist`);
  return containersOf(workload).map((container) => {
    const environment = Object.entries(environmentOf(container, manifests)).map(([name, value]) => {
      return [name, name.endsWith('_FILE') ? join(folder, basename(value)) : value] as const;
    });
    return { container, environment: Object.fromEntries(environment) };
  });
}

describe('with the environment of its pod', () => {
  it.each(['gateway', 'worker'] as const)(
    '%s starts, and its probes report it alive but not ready while MongoDB is down',
    async (app) => {
      const { container, environment } = containersFor(app)[0]!;
      // Another process of this machine may use the port of the servers.
      const { KEYFOLD_SERVERS_PORT: servers, ...others } = environment;
      const process = await ScaledProcess.create(app, app, {
        ...others,
        ...(servers && { KEYFOLD_SERVERS_PORT: '0' }),
      });
      started.push(process);
      process.spawn();
      const ask = (path = 'no path') =>
        fetch(`${process.managementUrl}${path}`, { signal: AbortSignal.timeout(5_000) });
      await vi.waitFor(() => ask(container.startupProbe?.httpGet.path), { timeout: 30_000 });
      expect((await ask(container.startupProbe?.httpGet.path)).status).toBe(200);
      expect((await ask(container.livenessProbe?.httpGet.path)).status).toBe(200);
      const ready = await ask(container.readinessProbe?.httpGet.path);
      expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ status: 'not ready' })]);
      expect(process.isRunning).toBe(true);
      expect(await process.stop()).toBe(0);
    },
  );

  it('the Job finds MongoDB, RabbitMQ and its management API', () => {
    const [database, topology] = containersFor('migrate').map(({ environment }) => environment);
    expect(readCliSettings(database!)).toMatchObject({
      KEYFOLD_STORE: 'mongodb',
      KEYFOLD_MONGODB_URI: FILES['mongodb-uri'],
    });
    expect(readCliBrokerSettings(topology!)).toMatchObject({
      KEYFOLD_RABBITMQ_URL: FILES['rabbitmq-url'],
      KEYFOLD_RABBITMQ_MANAGEMENT_URL: FILES['rabbitmq-management-url'],
    });
  });

  it('every probe uses the management port', () => {
    for (const { container } of ['gateway', 'worker'].flatMap(containersFor)) {
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      expect(probes.map((probe) => probe?.httpGet.port)).toEqual(['management', 'management', 'management']);
    }
  });
});
