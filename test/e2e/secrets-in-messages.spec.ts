import { join } from 'node:path';
import { eventStoreSchema, SqliteEventStore, SqliteFile } from '@keyfold/event-store/sqlite';
import { publicEventsOf, publicEventTypes, type PublicEventType } from '@keyfold/messaging/events';
import { parseSealingKeys, Sealer } from '@keyfold/security';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemOfEvent } from '../../libs/messaging/testing/event-validation.js';
import { useAccessToken, useAppPassword } from '../support/used-secrets.js';
import { accountNamed, ADMIN_PASSWORD, adminOf, createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { MessageTap, type TappedFrom, type TappedMessage } from '../support/rabbitmq/message-tap.js';
import { until } from '../support/rabbitmq/other-service.js';
import { SecretSearch } from '../support/secret-search.js';
import { newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { staticHash } from '../support/static-hash.js';
import { storedCommits, storedEvents } from '../support/stored-data.js';
import { TraceCollector } from '../support/traces/trace-collector.js';
import { codeNow } from '../support/two-factor.js';

const TOKEN_SECRET = 'what only the signer of tokens knows';
const SEALING_KEY = Buffer.from('thirty-two bytes that seal all!!');
const COLLECTOR_KEY = 'what-only-the-collector-knows';
const MAY_USE_SFTP = 1 << 10;
const secrets = new SecretSearch();

let app: StandaloneProcess;
let tap: MessageTap;
let collector: TraceCollector;

beforeAll(async () => {
  const broker = await freshBroker();
  const applied = await keyfold({ KEYFOLD_RABBITMQ_URL: broker.url }, 'topology', 'apply');
  expect(applied.status, applied.err).toBe(0);
  tap = await MessageTap.open(broker.url);
  collector = await TraceCollector.open();
  app = await StandaloneProcess.start({
    KEYFOLD_RABBITMQ_URL: broker.url,
    KEYFOLD_TOKEN_SECRET: TOKEN_SECRET,
    KEYFOLD_SEALING_KEY: `k1:${SEALING_KEY.toString('base64')}`,
    KEYFOLD_LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${COLLECTOR_KEY}`,
  });
  secrets.add('secret of the tokens', TOKEN_SECRET);
  secrets.addBytes('sealing key', SEALING_KEY);
  secrets.add('key of the collector', COLLECTOR_KEY);
  rememberPassword('password of the administrator', ADMIN_PASSWORD);
  await causeEveryEvent(new ApiClient(app.baseUrl));
  rememberSealed();
  const due = await publishedIds();
  await until(() => (due.every((id) => idsFrom('events').has(id) && idsFrom('log').has(id)) ? true : undefined));
  // The last traces are sent at shutdown.
  expect(await app.stop()).toBe(0);
});

afterAll(async () => {
  await tap?.close();
  await app?.dispose();
  await collector?.close();
});

/** Causes every kind of event through the API and through messages, including refused and unknown ones. */
async function causeEveryEvent(api: ApiClient): Promise<void> {
  const admin = await adminOf(api);
  rememberToken('token of the administrator', admin.token);
  const { id } = await createAccount(admin, 'secretive', { permission: MAY_USE_SFTP });
  rememberPassword('first password', 'pw-secretive');
  const member = await signedInAs(api, 'secretive');
  rememberToken('token of a member', member.token);
  const [key, spare] = [newKeyLine(), newKeyLine()];
  (await member.post('/api/me/sshkey/add', { title: 'laptop', key: key.line })).data();
  (await member.post('/api/me/sshkey/add', { title: 'spare', key: spare.line })).data();
  await sendMessages(id, key.fingerprint);
  const listed = (await member.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>().content;
  await letExpire(member, listed[0]!.id);
  for (const each of listed) (await member.post(`/api/me/sshkey/delete?id=${each.id}`)).data();
  await useTwoFactor(api, admin, member, id);
  await useAccessToken(api, member, secrets, app.dataDir);
  await useAppPassword(api, member, secrets, app.dataDir);
  (await member.post('/api/me/sessions/evict', { others: true })).data();
  (await member.get('/api/auth/logout')).data();
  await administer(api, admin, id);
}

/** Renames a key and lets it expire. */
async function letExpire(member: ApiClient, id: number): Promise<void> {
  const expires = new Date(Date.now() + 1_000).toISOString();
  (await member.post('/api/me/sshkey/update', { id, title: 'old laptop', expires })).data();
  await until(() => storedEvents(app.dataDir, 'SshKeyExpired')[0]);
}

async function useTwoFactor(api: ApiClient, admin: ApiClient, member: ApiClient, id: number): Promise<void> {
  const { secret } = (await member.post('/api/auth/2fa/generate')).data<{ secret: string }>();
  secrets.add('one-time secret', secret);
  const [proof, login] = [codeNow(secret), codeNow(secret, 1)];
  secrets.add('code of the enrolment', proof);
  secrets.add('code of a login', login);
  (await member.post('/api/auth/2fa/verify', { code: proof, secret })).data();
  const withCode = await api.from(newAddress()).signedIn('secretive', 'pw-secretive', login);
  rememberToken('token of a login with a code', withCode.token);
  const owner = { password: 'pw-secretive' };
  const { recovery_codes } = (await member.post('/api/auth/2fa/recovery_codes', owner)).data<{
    recovery_codes: string[];
  }>();
  recovery_codes.forEach((code, index) => {
    secrets.add(`recovery code ${index}`, code);
    secrets.add(`recovery code ${index} without dashes`, code.replaceAll('-', ''));
  });
  rememberToken(
    'token of a login with a recovery code',
    (await api.from(newAddress()).signedIn('secretive', 'pw-secretive', recovery_codes[0])).token,
  );
  (await admin.post(`/api/admin/user/cancel_2fa?id=${id}`)).data();
}

async function administer(api: ApiClient, admin: ApiClient, id: number): Promise<void> {
  const update = { id, username: 'secretive', role: 0, permission: MAY_USE_SFTP, base_path: '/' };
  const change = async (fields: object) =>
    (await admin.post('/api/admin/user/update', { ...update, ...fields })).data();
  await change({ base_path: '/elsewhere', permission: 0 });
  await change({ username: 'renamed' });
  rememberPassword('second password', 'another-p4ssword');
  await change({ username: 'renamed', password: 'another-p4ssword' });
  rememberPassword('wrong password', 'wr0ng-password');
  await api.from(newAddress()).logIn('renamed', 'wr0ng-password');
  await change({ username: 'renamed', disabled: true });
  await change({ username: 'renamed' });
  const settings = { ldap_manager_password: 'directory-passw0rd', from_elsewhere: 'who-knows-what-this-is' };
  for (const [key, value] of Object.entries(settings)) {
    secrets.add(`setting ${key}`, value);
    (
      await admin.post('/api/admin/setting/save', [
        { key, value },
        { key: 'site_title', value: `after ${key}` },
      ])
    ).data();
  }
  (await admin.post('/api/admin/setting/delete?key=from_elsewhere')).data();
  (await admin.post('/api/admin/setting/reset_token')).data();
  secrets.add('static token', storedStaticToken());
  await api.as(storedStaticToken()).get('/api/admin/user/list');
  expect((await accountNamed(admin, 'renamed')).id).toBe(id);
  (await admin.post(`/api/admin/user/delete?id=${id}`)).data();
  // Another account, because the secrets of this one are read from the store.
  const { id: erased } = await createAccount(admin, 'erased');
  rememberPassword('password of an erased account', 'pw-erased');
  (await admin.post(`/api/admin/user/delete?id=${erased}`)).data();
  const done = await keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'account', 'erase', String(erased), '--yes');
  expect(done.out, done.err).toContain('RabbitMQ keeps its events in keyfold.events.log until ');
}

/** Sends valid and invalid commands and questions of another service. */
async function sendMessages(account: number, fingerprint: string): Promise<void> {
  const use = { account, fingerprint, address: '192.0.2.7', time: new Date().toISOString() };
  tap.command('ssh-key.use', use, 'use');
  tap.command('ssh-key.use', { ...use, account: 999_999 }, 'use-of-nobody');
  tap.command('ssh-key.use', { ...use, address: 7 }, 'use-from-nowhere');
  tap.command('moon.land', use, 'unknown-command');
  await tap.untilParked(3);
  expect((await tap.ask('ssh-keys.look-up', { username: 'secretive' }, 'a member')).toString()).toContain(fingerprint);
  await tap.ask('ssh-keys.look-up', { username: 'nobody' }, 'nobody');
  await tap.ask('ssh-keys.look-up', {}, 'bad question');
  const used = () => tap.messagesFrom('events').find(({ properties }) => properties.type === 'ssh-key.used');
  await until(used);
}

function rememberPassword(name: string, password: string): void {
  secrets.add(name, password);
  secrets.add(`${name}, hashed for the wire`, staticHash(password));
}

function rememberToken(name: string, token: string): void {
  secrets.add(name, token);
  secrets.add(`${name}, its signature`, token.split('.')[2] ?? '');
}

const sealer = () => new Sealer(parseSealingKeys(`k1:${SEALING_KEY.toString('base64')}`));

/** Returns the static token, which the store keeps sealed. */
function storedStaticToken(): string {
  const events = storedCommits(app.dataDir).flatMap((commit) => commit.events);
  const sealed = events.findLast(({ type }) => type === 'StaticTokenReset')?.sealed?.['token'] ?? '';
  return sealer().open(sealed, 'site-settings/static-token');
}

/** Adds the sealed values of the store, sealed and open: password hashes, and again the known secrets. */
function rememberSealed(): void {
  for (const { stream, events } of storedCommits(app.dataDir)) {
    for (const [name, sealed] of events.flatMap((event) => Object.entries(event.sealed ?? {}))) {
      const opened = openedAt(stream, sealed);
      secrets.add(`${name} of ${stream}, sealed: ${sealed.length}`, sealed);
      secrets.add(`${name} of ${stream}: ${opened.slice(-4)}`, opened);
      const hash = /^\$argon2id\$.*\$([^$]+)\$([^$]+)$/.exec(opened);
      if (hash) secrets.add(`argon2 hash of ${stream}: ${opened.slice(-4)}`, hash[2] ?? '');
    }
  }
}

function openedAt(stream: string, sealed: string): string {
  const settings = ['ldap_manager_password', 'from_elsewhere'].map((key) => `setting/${key}`);
  for (const purpose of ['password', 'two-factor', 'recovery-codes', 'static-token', ...settings]) {
    try {
      return sealer().open(sealed, `${stream}/${purpose}`);
    } catch {
      // It was sealed for another purpose.
    }
  }
  throw new Error(`a sealed value of ${stream} cannot be opened`);
}

async function publishedIds(): Promise<string[]> {
  const store = new SqliteEventStore(new SqliteFile(join(app.dataDir, 'keyfold.db'), eventStoreSchema));
  try {
    return (await store.readFeed(0, 0, 1_000)).flatMap(publicEventsOf).map(({ id }) => id);
  } finally {
    await store.close();
  }
}

const idsFrom = (from: TappedFrom) =>
  new Set(tap.messagesFrom(from).map(({ properties }) => String(properties.messageId)));

/** Returns all text of a message: routing, properties with all headers, and body. */
const textOf = ({ message }: TappedMessage) =>
  `${JSON.stringify(message.fields)} ${JSON.stringify(message.properties)} ${message.content.toString()}`;

const leaksIn = (text: string) => secrets.foundIn(text);

describe('a run with every kind of event', () => {
  it.each(publicEventTypes)('publishes %s as its schema requires', (type: PublicEventType) => {
    const messages = tap.messagesFrom('events').filter(({ properties }) => properties.type === type);
    expect(messages.length).toBeGreaterThan(0);
    for (const { content } of messages) expect(problemOfEvent(type, JSON.parse(content.toString()))).toBeUndefined();
  });

  it('has no secret in any message, neither in headers nor in bodies', () => {
    expect(secrets.size).toBeGreaterThan(80);
    for (const from of ['events', 'log', 'parked', 'reply'] as const)
      expect(tap.messagesFrom(from).length, from).toBeGreaterThan(2);
    const leaks = tap.tapped.flatMap((each) =>
      leaksIn(textOf(each)).map((secret) => `${each.from} ${String(each.message.properties.type)}: ${secret}`),
    );
    expect(leaks).toEqual([]);
  });

  it('has no secret in the log', () => {
    expect(app.output().length).toBeGreaterThan(1_000);
    expect(leaksIn(app.output())).toEqual([]);
  });

  it('has no secret in any trace', () => {
    const sent = JSON.stringify(collector.spans);
    for (const name of ['POST /api/auth/login', 'RegisterAccount', 'append commits', 'process keyfold.rpc'])
      expect(sent).toContain(name);
    expect(leaksIn(sent)).toEqual([]);
  });

  it('would be caught: the same search finds what is not secret, in each form', () => {
    const open = new SecretSearch();
    open.add('name', 'secretive');
    for (const from of ['events', 'log', 'reply'] as const)
      expect(
        open.foundIn(
          tap.tapped
            .filter((each) => each.from === from)
            .map(textOf)
            .join(),
        ),
        from,
      ).toEqual(['name']);
    for (const encoding of ['base64', 'base64url', 'hex'] as const)
      expect(open.foundIn(`{"a":"${Buffer.from('secretive').toString(encoding)}"}`)).not.toEqual([]);
    expect(secrets.foundIn(`x ${ADMIN_PASSWORD} x`)).toEqual(['password of the administrator']);
  });
});
