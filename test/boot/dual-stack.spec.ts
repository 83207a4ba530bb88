import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { keyfold } from '../support/cli.js';
import { lastingPort } from '../support/lasting-port.js';
import { logLines } from '../support/log-lines.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';

const preload = pathToFileURL(resolve(import.meta.dirname, '../support/dual-stack-localhost.ts')).href;
const DUAL_STACK: ProcessEnv = { NODE_OPTIONS: `--import=${preload}` };

/** Of `localhost`; nobody listens there at either address. */
let port: number;
/** What the system says of both addresses, one after the other; a machine without IPv6 refuses the first in other words. */
let bothRefused: RegExp;

beforeAll(async () => {
  port = await lastingPort();
  bothRefused = new RegExp(`: connect E\\w+ ::1:${port}\\b.*[,;] connect ECONNREFUSED 127\\.0\\.0\\.1:${port}$`, 'm');
});

async function started(env: ProcessEnv): Promise<StandaloneProcess> {
  const app = await StandaloneProcess.start({ ...DUAL_STACK, ...env });
  onTestFinished(() => app.dispose());
  return app;
}

/** The first warning of the log that begins like this. */
async function warning(app: StandaloneProcess, beginning: string): Promise<string> {
  const found = () => logLines(app.output()).find(({ level, msg }) => level === 40 && msg.startsWith(beginning));
  await expect.poll(found, { message: beginning, timeout: 30_000 }).toBeDefined();
  return found()?.msg ?? '';
}

it('a RabbitMQ that refuses at both addresses of its host is away for both reasons', async () => {
  const env = { KEYFOLD_RABBITMQ_URL: `amqp://guest:hidden-word@localhost:${port}` };
  const app = await started(env);
  const log = await warning(app, `RabbitMQ at localhost:${port} is unavailable, events stay in the store`);
  const { err } = await keyfold({ ...DUAL_STACK, ...env }, 'topology', 'diff');
  const status = await keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'feed', 'status');
  expect(status.out).toContain(`\nNothing is published: RabbitMQ at localhost:${port} is unavailable: `);
  for (const text of [log, err, status.out]) {
    expect(text).toMatch(bothRefused);
    expect(text).not.toContain('hidden-word');
  }
});

it('a management API that refuses at both addresses of its host does not answer for both reasons', async () => {
  const { url } = await freshBroker();
  const managementUrl = `http://guest:hidden-word@localhost:${port}`;
  const env = { ...DUAL_STACK, KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl };
  const { out } = await keyfold(env, 'topology', 'apply');
  expect(out).toContain(`the management API at localhost:${port} does not answer`);
  expect(out).toMatch(bothRefused);
  expect(out).not.toContain('hidden-word');
});

it('a MongoDB that refuses at both addresses of its host is not available for both reasons', async () => {
  const uri = `mongodb://keyfold:hidden-word@localhost:${port}/keyfold`;
  const { status, err } = await keyfold({ ...DUAL_STACK, KEYFOLD_MONGODB_URI: uri }, 'verify');
  expect(status).toBe(1);
  expect(err).toContain('MongoDB is not available');
  expect(err).toMatch(bothRefused);
  expect(err).not.toContain('hidden-word');
});

it('traces are lost for both reasons when their endpoint refuses at both addresses of its host', async () => {
  const app = await started({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://guest:hidden-word@localhost:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  const log = await warning(app, `cannot send traces to localhost:${port}, dropping them`);
  expect(log).toMatch(bothRefused);
  expect(log).not.toContain('hidden-word');
});
