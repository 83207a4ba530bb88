import { openEmbeddedStore, openSharedStore } from '@keyfold/operator';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keptCommits, orders } from '../../libs/operator/testing/copied-stores.js';
import { ADMIN_PASSWORD, adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold, startKeyfold } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { failedScaledStart, failedStart } from '../support/failed-start.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { appendOldSessions } from '../support/old-sessions.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService } from '../support/rabbitmq/other-service.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';

/** More commits than three batches of a copy. */
const SESSIONS = 3_500;
const KILLS = 4;

const uri = freshDatabaseUri();
let app: StandaloneProcess;
/** A subscriber, and the settings of its broker. */
let subscriber: OtherService;
let broker: Record<string, string>;
/** A folder for the way back, with the secrets of the first one. */
let back: string;
/** The processes on MongoDB, and the secrets that they share. */
let scaled: ScaledService;
let secrets: Record<string, string>;
/** The token of a member, which was made before the first copy. */
let token: string;

beforeAll(async () => {
  const { url, managementUrl } = await freshBroker();
  broker = { KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl };
  app = await StandaloneProcess.start(broker);
  subscriber = await OtherService.connect(url);
  token = (await newMember(await adminOf(new ApiClient(app.baseUrl)), 'member')).token;
  await app.stop();
  await onFolder(app.dataDir, async ({ store }) => appendOldSessions(store, SESSIONS, 10, 500));
  await app.restart();
  const textOf = (name: string) => readFileSync(join(app.dataDir, name), 'utf8').trim();
  secrets = { KEYFOLD_SEALING_KEY: textOf('sealing-key'), KEYFOLD_TOKEN_SECRET: textOf('token-secret') };
  back = mkdtempSync(join(tmpdir(), 'keyfold-'));
  for (const name of ['sealing-key', 'token-secret']) copyFileSync(join(app.dataDir, name), join(back, name));
});

afterAll(async () => {
  await subscriber?.close();
  await scaled?.dispose();
  await app?.dispose();
  rmSync(back, { recursive: true });
});

type Opened = Awaited<ReturnType<typeof openEmbeddedStore>>['ports'];

async function onFolder<Result>(folder: string, run: (ports: Opened) => Promise<Result>): Promise<Result> {
  const { ports, close } = await openEmbeddedStore({ folder, sessionDays: 90 });
  try {
    return await run(ports);
  } finally {
    await close();
  }
}

async function onDatabase<Result>(run: (ports: Opened) => Promise<Result>): Promise<Result> {
  const { ports, close } = await openSharedStore(uri, { prepare: false, sessionDays: 90, leaseMilliseconds: 10_000 });
  try {
    return await run(ports);
  } finally {
    await close();
  }
}

const contents = async (ports: Opened) => ({ kept: await keptCommits(ports), orders: await orders(ports) });

const envOf = (folder: string) => ({ KEYFOLD_DATA_DIR: folder, KEYFOLD_MONGODB_URI: uri });

/** Kills a copy at random moments. */
async function killCopies(folder: string, target: string): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    const { child, result, seen } = startKeyfold(envOf(folder), 'store', 'copy', target);
    // It may end before, which is as good.
    await Promise.race([seen(' % of '), result]).catch(() => undefined);
    await sleep(Math.random() * 400);
    child.kill('SIGKILL');
    await result;
  }
}

/** Waits until the subscriber knows an account and every old session. Expects it to have got no event twice. */
async function expectEventsOnce(username: string): Promise<void> {
  await subscriber.event('account.registered', (data) => data['username'] === username);
  const ofType = (type: string) => subscriber.events.filter(({ properties }) => properties.type === type);
  await eventually(() => expect(ofType('session.started').length).toBeGreaterThanOrEqual(SESSIONS));
  const ids = subscriber.events.map(({ properties }) => String(properties.messageId));
  expect(new Set(ids).size).toBe(ids.length);
}

it('a store moves to MongoDB while it is in use, although the copy is killed, and no event is published twice', async () => {
  const admin = await adminOf(new ApiClient(app.baseUrl));
  const created: string[] = [];
  let isCopying = true;
  const writing = (async () => {
    while (isCopying) created.push((await createAccount(admin, `new ${created.length}`)).username);
  })();
  await killCopies(app.dataDir, 'mongodb');
  const env = { ...SCALED_SETTINGS, ...secrets, KEYFOLD_MONGODB_URI: uri };
  expect((await failedScaledStart('gateway', env)).output).toContain(
    '"keyfold store copy mongodb" has not finished filling it',
  );
  const copied = await keyfold(envOf(app.dataDir), 'store', 'copy', 'mongodb');
  expect(copied.status, copied.err).toBe(0);
  expect(copied.out).toMatch(
    /^copied \d+ commits, \d+ commits? behind\. Next: stop the service, then run this command/,
  );
  isCopying = false;
  await writing;
  const early = await keyfold(envOf(app.dataDir), 'store', 'copy', 'mongodb', '--finish');
  expect(early).toMatchObject({ status: 1, err: expect.stringContaining('Stop the service') });

  expect(await app.stop()).toBe(0);
  const finished = await keyfold(envOf(app.dataDir), 'store', 'copy', 'mongodb', '--finish');
  expect(finished.status, finished.err).toBe(0);
  const original = await onFolder(app.dataDir, contents);
  expect(original.kept.size).toBeGreaterThan(1.5 * SESSIONS + created.length);
  expect(await onDatabase(contents)).toEqual(original);
  const verified = await keyfold({ KEYFOLD_MONGODB_URI: uri }, 'verify');
  expect(verified).toMatchObject({ status: 0, out: expect.stringContaining(': no problems\n') });

  scaled = await ScaledService.start(uri, { gateways: 1, workers: 1, env: { ...secrets, ...broker } });
  const member = scaled.api().as(token);
  expect((await member.get('/api/me')).data()).toMatchObject({ username: 'member' });
  expect((await scaled.api().logIn('admin', ADMIN_PASSWORD)).code).toBe(200);
  expect((await scaled.api().logIn(created.at(-1)!, `pw-${created.at(-1)}`)).code).toBe(200);
});

it('a store moves back into a folder, although the copy is killed, and no event is published twice', async () => {
  await createAccount(await adminOf(scaled.api()), 'on MongoDB');
  await expectEventsOnce('on MongoDB');
  await killCopies(back, 'sqlite');
  const env = { ...broker, KEYFOLD_DATA_DIR: back, KEYFOLD_STORE: 'sqlite' };
  expect((await failedStart(env)).output).toContain(`a command that fills ${back} has not finished`);
  const early = await keyfold(envOf(back), 'store', 'copy', 'sqlite', '--finish');
  expect(early).toMatchObject({ status: 1, err: expect.stringContaining('a worker is running') });
  await scaled.stop();
  const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
  const wrongKey = await keyfold({ ...envOf(back), KEYFOLD_SEALING_KEY }, 'store', 'copy', 'sqlite', '--finish');
  expect(wrongKey).toMatchObject({ status: 1, out: '' });
  const finished = await keyfold(envOf(back), 'store', 'copy', 'sqlite', '--finish');
  expect(finished.status, finished.err).toBe(0);
  expect(await onFolder(back, contents)).toEqual(await onDatabase(contents));
  const verified = await keyfold({ KEYFOLD_DATA_DIR: back }, 'verify');
  expect(verified).toMatchObject({ status: 0, out: expect.stringContaining(': no problems\n') });

  const moved = await StandaloneProcess.start(env);
  try {
    const api = new ApiClient(moved.baseUrl);
    expect((await api.as(token).get('/api/me')).data()).toMatchObject({ username: 'member' });
    expect((await api.logIn('on MongoDB', 'pw-on MongoDB')).code).toBe(200);
    await createAccount(await adminOf(api), 'back again');
    await expectEventsOnce('back again');
  } finally {
    await moved.dispose();
  }
});
