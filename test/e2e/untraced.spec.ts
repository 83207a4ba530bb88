import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { lastingPort } from '../support/lasting-port.js';
import { logLines } from '../support/log-lines.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../support/rabbitmq/other-service.js';
import { newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
/** Makes a process fail if it loads any part of OpenTelemetry. */
const REFUSE_OPENTELEMETRY = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/open-?telemetry/.test(specifier)) throw new Error(\`\${specifier} was loaded\`);
      return next(specifier, context);
    },
  });
`;

describe('without a trace endpoint', () => {
  let folder: string;
  let refusing: { NODE_OPTIONS: string };
  let app: StandaloneProcess;
  let other: OtherService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyfold-'));
    await writeFile(join(folder, 'refuse.mjs'), REFUSE_OPENTELEMETRY);
    refusing = { NODE_OPTIONS: `--import=file://${join(folder, 'refuse.mjs')}` };
    const broker = await freshBroker();
    app = await StandaloneProcess.start({ ...refusing, KEYFOLD_RABBITMQ_URL: broker.url });
    other = await OtherService.connect(broker.url);
  });

  afterAll(async () => {
    await other?.close();
    await app?.dispose();
    await rm(folder, { recursive: true });
  });

  it('OpenTelemetry is not loaded, but it is with one', async () => {
    expect((await new ApiClient(app.baseUrl).get('/ping')).text).toBe('pong');
    const traced = { ...refusing, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    await expect(StandaloneProcess.start(traced)).rejects.toThrow(/open-?telemetry.* was loaded/);
  });

  it('events continue the trace of the client, and none if its header is missing or invalid', async () => {
    const member = await newMember(await adminOf(new ApiClient(app.baseUrl)), 'ann');
    const add = async (title: string, headers: Record<string, string>) => {
      const { line } = newKeyLine();
      (await member.with(headers).post('/api/me/sshkey/add', { title, key: line })).data();
    };
    await add('traced', { traceparent: TRACEPARENT });
    await add('untraced', {});
    await add('nonsense', { traceparent: `${TRACEPARENT}-<script>` });
    const traces = await until(() => {
      const added = other.events.filter(({ properties }) => properties.type === 'ssh-key.added');
      return added.length === 3 ? added.map(({ properties }) => properties.headers ?? {}) : undefined;
    });
    expect(traces.map((headers) => headers['cloudEvents_traceparent'] as unknown)).toEqual([
      TRACEPARENT,
      undefined,
      undefined,
    ]);
  });

  it('events continue the trace of the message that caused them', async () => {
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const member = await newMember(admin, 'bob');
    const { line, fingerprint } = newKeyLine();
    (await member.post('/api/me/sshkey/add', { title: 'laptop', key: line })).data();
    const { accountId } = await other.event('ssh-key.added', (data) => data['fingerprint'] === fingerprint);
    const use = { account: accountId, fingerprint, address: '192.0.2.7', time: new Date().toISOString() };
    other.command('ssh-key.use', use, 'use-1', { traceparent: TRACEPARENT });
    const used = await until(() => other.events.find(({ properties }) => properties.type === 'ssh-key.used'));
    expect(used.properties.headers).toMatchObject({ cloudEvents_traceparent: TRACEPARENT });
  });
});

it('with an unreachable endpoint, requests are answered, the log says so, and the process stops cleanly', async () => {
  const app = await StandaloneProcess.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await lastingPort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  try {
    const api = new ApiClient(app.baseUrl);
    const warnings = () => logLines(app.output()).filter(({ msg }) => msg.startsWith('cannot send traces'));
    await until(async () => {
      expect((await api.get('/ping')).text).toBe('pong');
      return warnings().length > 0 ? true : undefined;
    });
    expect(warnings()).toMatchObject([{ level: 40, msg: expect.stringContaining('ECONNREFUSED') }]);
    expect(await app.stop()).toBe(0);
  } finally {
    await app.dispose();
  }
});
