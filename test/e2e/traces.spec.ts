import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../support/rabbitmq/other-service.js';
import { newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { TraceCollector } from '../support/traces/trace-collector.js';

const CLIENT_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
const ADDRESS = '192.0.2.7';

let collector: TraceCollector;
let app: StandaloneProcess;
let other: OtherService;
/** The ids and trace contexts of requests and messages; the last event reports the use of the key. */
let used: { accountId: number; fingerprint: string; traceparents: string[] };

beforeAll(async () => {
  collector = await TraceCollector.open();
  const broker = await freshBroker();
  app = await StandaloneProcess.start({
    KEYFOLD_RABBITMQ_URL: broker.url,
    KEYFOLD_LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=what%20only%20the%20collector%20knows',
  });
  other = await OtherService.connect(broker.url);
  used = await addAndUseKey();
  // The remaining spans are sent before the process ends.
  expect(await app.stop()).toBe(0);
});

afterAll(async () => {
  await other?.close();
  await app?.dispose();
  await collector?.close();
});

/** Adds a key as a member. Another service receives the event and reports a use of the key in the same trace. */
async function addAndUseKey(): Promise<typeof used> {
  const admin = await adminOf(new ApiClient(app.baseUrl));
  const member = await newMember(admin, 'traced-ann');
  const { line, fingerprint } = newKeyLine();
  const traceparent = `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01`;
  (await member.with({ traceparent }).post('/api/me/sshkey/add', { title: 'secret-laptop', key: line })).data();
  for (const path of ['/@s/traced-ann?per_page=1', '/s3/traced-ann?per_page=1']) await admin.get(path);
  await hangUpOn('POST /api/me/sshkey/delete');
  const { id: accountId } = await accountNamed(admin, 'traced-ann');
  const added = await traceparentOf('ssh-key.added');
  const use = { account: accountId, fingerprint, address: ADDRESS, time: new Date(Date.now() + 60_000).toISOString() };
  other.command('ssh-key.use', use, 'use-1', { traceparent: added });
  other.command('ssh-key.use', { ...use, account: 999_999 }, 'use-of-nobody');
  const usedTrace = await traceparentOf('ssh-key.used');
  await other.parked();
  return { accountId, fingerprint, traceparents: [added, usedTrace] };
}

/** Sends half a request and hangs up. */
async function hangUpOn(line: string): Promise<void> {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`${line} HTTP/1.1\r\nhost: keyfold\r\ncontent-length: 7\r\n\r\n`, () => socket.destroy());
  await once(socket, 'close');
}

/** Returns the trace context of the first event of a type. */
async function traceparentOf(type: string): Promise<string> {
  const event = await until(() => other.events.find(({ properties }) => properties.type === type));
  return String(event.properties.headers?.['cloudEvents_traceparent']);
}

const named = (name: string) => collector.named(name);

describe('a traced service', () => {
  it('records a request, its command, the append, the messages and their effects in one trace', () => {
    const [request] = named('POST /api/me/sshkey/add');
    const added = 'POST /api/me/sshkey/add > AddSshKey';
    const recorded = `${added} > process keyfold.commands.q > RecordSshKeyUse`;
    expect(collector.pathsOf(request?.traceId ?? '')).toEqual([
      'POST /api/me/sshkey/add',
      added,
      `${added} > append commits`,
      `${added} > process keyfold.commands.q`,
      recorded,
      `${recorded} > append commits`,
      `${recorded} > publish keyfold.events`,
      `${added} > publish keyfold.events`,
    ]);
    expect(request?.parentId).toBe('');
    expect(request?.service).toBe('keyfold');
  });

  it('stores the trace of the command with its commit, and its messages carry it', () => {
    const commands = ['AddSshKey', 'RecordSshKeyUse'].map((name) => named(name)[0]);
    expect(used.traceparents).toEqual(commands.map((span) => `00-${span?.traceId}-${span?.spanId}-01`));
  });

  it('does not trust a client with its trace id: it becomes a link', () => {
    expect(named('POST /api/me/sshkey/add')[0]?.links).toEqual([{ traceId: CLIENT_TRACE, spanId: CLIENT_SPAN }]);
    expect(collector.spans.filter(({ traceId }) => traceId === CLIENT_TRACE)).toEqual([]);
  });

  it('names the store, and the outcome of each message', () => {
    const [append] = named('append commits');
    expect(append?.attributes).toMatchObject({ 'db.system.name': 'sqlite', 'keyfold.outcome': 'appended' });
    const outcomes = named('process keyfold.commands.q').map(({ attributes }) => [
      attributes['messaging.message.id'],
      attributes['keyfold.outcome'],
    ]);
    expect(outcomes).toEqual(
      expect.arrayContaining([
        ['use-1', 'done'],
        ['use-of-nobody', 'parked'],
      ]),
    );
  });

  it('records a request that its client abandoned', () => {
    expect(named('POST /api/me/sshkey/delete')).toMatchObject([{ attributes: { 'keyfold.outcome': 'client-gone' } }]);
  });

  it('records no name, address, key or query', () => {
    const sent = JSON.stringify(collector.spans);
    for (const hidden of ['traced-ann', '127.0.0.1', ADDRESS, used.fingerprint, 'secret-laptop', 'per_page', '?'])
      expect(sent).not.toContain(hidden);
  });

  it('sends the headers of the endpoint with each export and logs them nowhere', () => {
    for (const headers of collector.headers) expect(headers['x-api-key']).toBe('what only the collector knows');
    expect(collector.headers.length).toBeGreaterThan(0);
    expect(app.output()).not.toContain('collector%20knows');
    expect(app.output()).not.toContain('collector knows');
  });

  it('adds the trace to log lines that belong to a request or a message', () => {
    const lines = logLines(app.output()).filter(({ msg }) => msg === 'a command was parked');
    const traceIds = named('process keyfold.commands.q').map(({ traceId }) => traceId);
    expect(lines).toMatchObject([{ id: 'use-of-nobody', correlation: 'use-of-nobody' }]);
    expect(traceIds).toContain(lines[0]?.['traceId']);
  });
});
