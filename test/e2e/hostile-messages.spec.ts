import { connect, type Channel, type ChannelModel, type Options } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../support/rabbitmq/other-service.js';
import { newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const HOUR = 3_600_000;
const OUR_QUEUES = ['keyfold.commands.q', 'keyfold.commands.retry', 'keyfold.rpc'];
/** Another service's queue that Keyfold may write to. */
const FOREIGN = 'payroll';

type Member = Readonly<{ id: number; api: ApiClient; fingerprint: string }>;

let app: StandaloneProcess;
let pid: number;
let connection: ChannelModel;
let channel: Channel;
let other: OtherService;
let ann: Member;
let bob: Member;

beforeAll(async () => {
  const broker = await freshBroker();
  app = await StandaloneProcess.start({ KEYFOLD_RABBITMQ_URL: broker.url });
  pid = app.pid;
  other = await OtherService.connect(broker.url);
  connection = await connect(broker.url);
  channel = await connection.createChannel();
  await channel.assertQueue(FOREIGN, { durable: true });
  const admin = await adminOf(new ApiClient(app.baseUrl));
  ann = await memberWithKey(admin, 'ann');
  bob = await memberWithKey(admin, 'bob');
  // Waits until the consumers are ready.
  await other.ask('ssh-keys.look-up', { username: 'nobody' });
});

afterAll(async () => {
  await connection?.close();
  await other?.close();
  await app?.dispose();
});

async function memberWithKey(admin: ApiClient, name: string): Promise<Member> {
  const api = await newMember(admin, name);
  const { line, fingerprint } = newKeyLine();
  (await api.post('/api/me/sshkey/add', { title: 'laptop', key: line })).data();
  return { id: (await accountNamed(admin, name)).id, api, fingerprint };
}

/** Returns a valid command of ann with some fields replaced. */
const useOfAnn = (differing: object = {}) => ({
  account: ann.id,
  fingerprint: ann.fingerprint,
  address: '192.0.2.7',
  time: new Date().toISOString(),
  ...differing,
});

function send(queue: 'keyfold.commands' | 'keyfold.rpc', body: Buffer | object, options: Options.Publish = {}): string {
  const id = randomUUID();
  const type = queue === 'keyfold.rpc' ? 'ssh-keys.look-up' : 'ssh-key.use';
  const properties = { messageId: id, type, contentType: 'application/json', persistent: true, ...options };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  if (queue === 'keyfold.rpc') channel.sendToQueue(queue, bytes, properties);
  else channel.publish(queue, properties.type, bytes, properties);
  return id;
}

const isUsedBy =
  ({ id }: Member) =>
  ({ accountId }: Record<string, unknown>) =>
    accountId === id;
const usesBy = (member: Member) =>
  other.events.filter(
    ({ properties, content }) =>
      properties.type === 'ssh-key.used' && isUsedBy(member)(JSON.parse(content.toString()) as Record<string, unknown>),
  );

/** Messages are handled in order: once a new one is done, so are all earlier ones. */
async function expectAtWork(): Promise<void> {
  await until(async () => {
    const waiting = await Promise.all(OUR_QUEUES.map((queue) => other.waiting(queue)));
    return waiting.every((count) => count === 0) ? true : undefined;
  });
  expect(await other.ask('ssh-keys.look-up', { username: 'nobody' })).toEqual({ ok: true, data: null });
  expect(await other.waiting(FOREIGN)).toBe(0);
  expect(await other.waiting('keyfold.commands.parked')).toBe(0);
  expect((await ann.api.get('/api/me')).code).toBe(200);
  expect([app.isRunning, app.pid]).toEqual([true, pid]);
}

const inOneHour = () => new Date(Date.now() + HOUR).toISOString();
const commands: Record<string, [code: string, body: () => Buffer | object, options?: Options.Publish]> = {
  'is a million bytes': ['body-too-large', () => useOfAnn({ address: 'x'.repeat(1_000_000) })],
  'is nested a thousand times': ['message-invalid', () => Buffer.from('['.repeat(1_000) + ']'.repeat(1_000))],
  'is null': ['message-invalid', () => Buffer.from('null')],
  'has a list instead of a text': ['message-invalid', () => useOfAnn({ fingerprint: [ann.fingerprint] })],
  'has the name of an account': ['message-invalid', () => useOfAnn({ account: 'ann' })],
  'comes from no address': ['message-invalid', () => useOfAnn({ address: 'the moon' })],
  'names an unknown account': ['account-not-found', () => useOfAnn({ account: 999_999 })],
  'has a huge account number': ['message-invalid', () => useOfAnn({ account: 1e300 })],
  'has an invalid time': ['message-invalid', () => useOfAnn({ time: '2026-02-30T00:00:00Z' })],
  'has the type of an event': ['type-unknown', useOfAnn, { type: 'ssh-key.added' }],
  'is from the next hour': ['ssh-key-use-untimely', () => useOfAnn({ time: inOneHour() })],
  'is from 1970': ['ssh-key-use-untimely', () => useOfAnn({ time: '1970-01-01T00:00:00Z' })],
  "names another account's key": ['ssh-key-not-found', () => useOfAnn({ fingerprint: bob.fingerprint })],
};

describe('a command', () => {
  it.each(Object.keys(commands))('that %s is parked, and no reply is sent', async (name) => {
    const [code, body, options] = commands[name]!;
    const content = body();
    send('keyfold.commands', content, { ...options, replyTo: FOREIGN, correlationId: 'payment 7' });
    const parked = await other.parked();
    expect(parked.properties.headers).toMatchObject({ 'x-error-code': code });
    const sent = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    expect(parked.content.toString()).toBe(code === 'body-too-large' ? '' : sent.toString());
    await expectAtWork();
    expect([...usesBy(ann), ...usesBy(bob)]).toEqual([]);
  });
});

describe('a question', () => {
  it.each([FOREIGN, 'keyfold.commands.q', 'keyfold.commands.parked', 'amq.rabbitmq.reply-to.x', '', '#'])(
    'with "%s" as the reply address gets no answer',
    async (replyTo) => {
      for (const body of [{ username: 'ann' }, Buffer.from('{')])
        send('keyfold.rpc', body, { replyTo, expiration: '5000' });
      await expectAtWork();
    },
  );

  it('of a million bytes, or empty, is refused, and the next one is answered', async () => {
    for (const question of [{ username: 'x'.repeat(1_000_000) }, {}, { username: 7 }])
      expect(await other.ask('ssh-keys.look-up', question)).toMatchObject({ ok: false, error: { retryable: false } });
    expect(await other.ask('accounts.list', {})).toMatchObject({ ok: false, error: { code: 'type-unknown' } });
    await expectAtWork();
  });
});

describe('a valid command', () => {
  it('after all of these is handled, once per id', async () => {
    const messageId = randomUUID();
    for (let copy = 0; copy < 5; copy++) send('keyfold.commands', useOfAnn(), { messageId });
    expect(await other.event('ssh-key.used', isUsedBy(ann))).toMatchObject({ accountId: ann.id });
    // The five copies have different bodies because each contains its own time.
    for (let copy = 0; copy < 5; copy++) send('keyfold.commands', useOfAnn({ time: new Date().toISOString() }));
    send('keyfold.commands', { ...useOfAnn(), account: bob.id, fingerprint: bob.fingerprint });
    expect(await other.event('ssh-key.used', isUsedBy(bob))).toMatchObject({ accountId: bob.id });
    await until(async () => ((await other.waiting('keyfold.commands.q')) === 0 ? true : undefined));
    expect([usesBy(ann).length, usesBy(bob).length]).toEqual([1, 1]);
  });

  it('does not take the id of another one', async () => {
    const messageId = randomUUID();
    const time = new Date(Date.now() + 60_000).toISOString();
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const [eve, kim] = [await memberWithKey(admin, 'eve'), await memberWithKey(admin, 'kim')];
    const use = ({ id, fingerprint }: Member) => useOfAnn({ account: id, fingerprint, time });
    send('keyfold.commands', use(eve), { messageId });
    await other.event('ssh-key.used', isUsedBy(eve));
    send('keyfold.commands', use(kim), { messageId });
    expect((await other.parked()).properties).toMatchObject({ messageId });
    expect([usesBy(eve).length, usesBy(kim).length]).toEqual([1, 0]);
    await expectAtWork();
  });
});
