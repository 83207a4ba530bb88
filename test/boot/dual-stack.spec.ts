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

/** A port of `localhost` where nothing listens at either address. */
let port: number;
/** The error with both addresses. The wording of the first varies on machines without IPv6. */
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

/** Returns the first warning of the log with this beginning. */
async function warning(app: StandaloneProcess, beginning: string): Promise<string> {
  const found = () => logLines(app.output()).find(({ level, msg }) => level === 40 && msg.startsWith(beginning));
  await expect.poll(found, { message: beginning, timeout: 30_000 }).toBeDefined();
  return found()?.msg ?? '';
}

it('an outage of RabbitMQ at both addresses of its host is reported with both errors', async () => {
  const env = { KEYFOLD_RABBITMQ_URL: `amqp://guest:hidden-word@localhost:${port}` };
  const app = await started(env);
  const log = await warning(app, `RabbitMQ at localhost:${port} is unavailable, events stay in the store`);
  const { err } = await keyfold({ ...DUAL_STACK, ...env }, 'topology', 'diff');
  const status = await keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'feed', 'status');
  expect(status.out).toContain(`\nProblem: RabbitMQ at localhost:${port} is unavailable: `);
  for (const text of [log, err, status.out]) {
    expect(text).toMatch(bothRefused);
    expect(text).not.toContain('hidden-word');
  }
});

it('an outage of the management API at both addresses of its host is reported with both errors', async () => {
  const { url } = await freshBroker();
  const managementUrl = `http://guest:hidden-word@localhost:${port}`;
  const env = { ...DUAL_STACK, KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl };
  const { out } = await keyfold(env, 'topology', 'apply');
  expect(out).toContain(`the management API at localhost:${port} does not answer`);
  expect(out).toMatch(bothRefused);
  expect(out).not.toContain('hidden-word');
});

it('an outage of MongoDB at both addresses of its host is reported with both errors', async () => {
  const uri = `mongodb://keyfold:hidden-word@localhost:${port}/keyfold`;
  const { status, err } = await keyfold({ ...DUAL_STACK, KEYFOLD_MONGODB_URI: uri }, 'verify');
  expect(status).toBe(1);
  expect(err).toContain('MongoDB is not available');
  expect(err).toMatch(bothRefused);
  expect(err).not.toContain('hidden-word');
});

it('an outage of the trace endpoint at both addresses of its host is reported with both errors', async () => {
  const app = await started({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://guest:hidden-word@localhost:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  const log = await warning(app, `cannot send traces to localhost:${port}, dropping them`);
  expect(log).toMatch(bothRefused);
  expect(log).not.toContain('hidden-word');
});
