import { GatewayModule, ID_BLOCK, processServices, serveApi } from '@keyfold/gateway';
import { apiSettings, Health, Metrics, processSettings, readSettings, sharedSecretSettings } from '@keyfold/process';
import { loadMongoStoreModule, SecretsModule } from '@keyfold/wiring';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { accessTokenText, newAccessTokenSecret } from '@keyfold/security';
import { newAccessToken } from '../../support/access-tokens.js';
import { eventually } from '../../support/eventually.js';
import { keyLine } from '../../support/key-line.js';
import { adminOf, newAddress, newMember } from '../../support/accounts.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { SCALED_SETTINGS } from '../../support/scaled-process.js';
import { migrate } from '../../support/scaled-service.js';
import { codeNow, enrol } from '../../support/two-factor.js';

/** Sent one at a time. Deferred work of a request counts with later requests. */
const REQUESTS = 10;

let app: NestFastifyApplication;
let api: ApiClient;
let member: ApiClient;
/** The commands sent to MongoDB, such as `find commits`. */
const sent: string[] = [];

beforeAll(async () => {
  const uri = freshDatabaseUri();
  await migrate(uri);
  app = await gatewayIn(`${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`);
  const connection = app.get<Connection>(getConnectionToken(), { strict: false });
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    // Sent every few seconds, however many logins there were.
    if (command[commandName] !== 'login_hours') sent.push(`${commandName} ${String(command[commandName])}`);
  });
  api = new ApiClient(await app.getUrl());
  member = await newMember(await adminOf(api), 'counted');
});

afterAll(() => app?.close());

/** Builds the gateway in this process as its own process would. */
async function gatewayIn(uri: string): Promise<NestFastifyApplication> {
  const schema = z.object({ ...processSettings, ...apiSettings, ...sharedSecretSettings });
  const settings = readSettings(schema, { ...SCALED_SETTINGS, KEYFOLD_HOST: '127.0.0.1', KEYFOLD_PORT: '0' });
  const log = pino({ level: 'silent' });
  const { signal: stopping } = new AbortController();
  const context = { log, onTerminal: false, health: new Health(), metrics: new Metrics(), stopping };
  const ports = [await loadMongoStoreModule(uri, context), SecretsModule.forRoot(settings)];
  const module = GatewayModule.forRoot(ports, settings, ID_BLOCK.shared, processServices(context.health));
  return (await serveApi(module, settings, context)).app;
}

/** Repeats a request and returns the commands of all repetitions, except those of the first, which warms the caches. */
async function commandsOf(send: (index: number) => Promise<Answer>): Promise<string[]> {
  (await send(0)).data();
  sent.length = 0;
  for (let index = 1; index <= REQUESTS; index++) (await send(index)).data();
  return [...sent];
}

const perRequest = (commands: readonly string[]) => commands.length / REQUESTS;

it.each(['/api/me', '/api/me/sshkey/list'])('a signed-in GET %s costs one round trip', async (path) => {
  const commands = await commandsOf(() => member.get(path));
  expect(perRequest(commands), commands.join(', ')).toBe(1);
});

it('a page of the history costs at most 3 round trips: caller, commits, sessions', async () => {
  const own = await commandsOf(() => member.get('/api/me/activity'));
  expect(perRequest(own), own.join(', ')).toBeLessThanOrEqual(3);
  const admin = await adminOf(api);
  const any = await commandsOf(() => admin.get('/api/admin/activity'));
  expect(perRequest(any), any.join(', ')).toBeLessThanOrEqual(4);
});

it.each(['/api/me', '/api/me/sshkey/list'])('with an access token, GET %s costs as much', async (path) => {
  const { client } = await newAccessToken(member, ['profile:read', 'keys:manage']);
  await client.get(path);
  await eventually(() => expect(sent).toContain('update session_uses'));
  const commands = await commandsOf(() => client.get(path));
  expect(perRequest(commands), commands.join(', ')).toBe(1);
});

it('an access token that is unknown costs at most 3 round trips, and one with a wrong checksum only the privacy mask', async () => {
  const costOf = async (token: string) => {
    sent.length = 0;
    expect((await api.as(token).get('/api/me')).outcome).toBe('401 token is invalidated');
    return [...sent];
  };
  await costOf(`kf_${'0'.repeat(42)}`);
  expect(await costOf(`kf_${'0'.repeat(41)}1`)).toHaveLength(1);
  const unknown = accessTokenText(987_654 * 2 ** 20 + 1, newAccessTokenSecret().secret);
  expect((await costOf(unknown)).length).toBeLessThanOrEqual(4);
  expect(await costOf(unknown)).toHaveLength(2);
});

it('creating an access token costs at most 5 round trips', async () => {
  const commands = await commandsOf(async (index) =>
    member.post('/api/me/tokens', { name: `counted ${index}`, scopes: ['profile:read'] }),
  );
  expect(perRequest(commands), commands.join(', ')).toBeLessThanOrEqual(5);
});

it('creating an app password costs at most 5 round trips', async () => {
  const commands = await commandsOf(async (index) =>
    member.post('/api/me/app_passwords', { name: `counted ${index}`, protocol: 'webdav' }),
  );
  expect(perRequest(commands), commands.join(', ')).toBeLessThanOrEqual(5);
});

it('a read right after a change also costs one round trip', async () => {
  const reads = await commandsOf(async (index) => {
    const before = [...sent];
    (await member.post('/api/me/sshkey/add', { title: `read ${index}`, key: keyLine(`read ${index}`).line })).data();
    sent.splice(0, Infinity, ...before);
    return member.get('/api/me/sshkey/list');
  });
  expect(perRequest(reads), reads.join(', ')).toBe(1);
});

it('a refused request costs one round trip more, which reads the privacy mask', async () => {
  const refused = async () => {
    expect((await member.get('/api/me/sshkey/list?page=x')).code).toBe(400);
    return member.get('/api/me');
  };
  const commands = await commandsOf(refused);
  expect(perRequest(commands), commands.join(', ')).toBe(3);
});

it('adding a key costs at most 3 round trips', async () => {
  const commands = await commandsOf((index) =>
    member.post('/api/me/sshkey/add', { title: `key ${index}`, key: keyLine(`counted ${index}`).line }),
  );
  expect(perRequest(commands), commands.join(', ')).toBeLessThanOrEqual(3);
  expect(perRequest(commands)).toBeGreaterThanOrEqual(2);
});

it.each([
  ['from one source', () => '198.51.100.1'],
  ['from a new source each', newAddress],
])('a login %s costs at most 6 round trips', async (_, addressOf) => {
  const commands = await commandsOf(() => api.from(addressOf()).logIn('counted', 'pw-counted'));
  expect(perRequest(commands), commands.join(', ')).toBeLessThanOrEqual(6);
});

it('a login with a one-time code costs at most 10, because two factors are counted', async () => {
  const secret = await enrol(await newMember(await adminOf(api), 'careful'));
  sent.length = 0;
  (await api.from(newAddress()).logIn('careful', 'pw-careful', codeNow(secret, 1))).data();
  expect(sent.length, sent.join(', ')).toBeLessThanOrEqual(10);
});
