import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SshKeyLookUpReply } from '@keyfold/messaging/events';
import { adminOf, accountNamed, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { lastingPort } from '../support/lasting-port.js';
import { OtherService, until } from '../support/rabbitmq/other-service.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { newKeyLine, type KeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';

type ListedKey = Readonly<{ id: number; fingerprint: string; added_time: string; last_used_time: string }>;

const MAY_USE_SFTP = 1 << 10;
const MINUTE = 60_000;

let app: StandaloneProcess;
let admin: ApiClient;
let other: OtherService;

beforeAll(async () => {
  const broker = await freshBroker();
  app = await StandaloneProcess.start({ KEYFOLD_RABBITMQ_URL: broker.url });
  admin = await adminOf(new ApiClient(app.baseUrl));
  other = await OtherService.connect(broker.url);
});

afterAll(async () => {
  await other?.close();
  expect(await app?.stop(), 'clean shutdown').toBe(0);
  await app?.dispose();
});

const keysOf = async (member: ApiClient) =>
  (await member.get('/api/me/sshkey/list')).data<{ content: ListedKey[] }>().content;

/** Creates a member with one key. */
async function memberWithKey(name: string): Promise<{ id: number; member: ApiClient; key: KeyLine }> {
  const member = await newMember(admin, name);
  const key = newKeyLine();
  (await member.post('/api/me/sshkey/add', { title: 'laptop', key: key.line })).data();
  return { id: (await accountNamed(admin, name)).id, member, key };
}

describe('another service', () => {
  it('receives the event of a key added over HTTP', async () => {
    const { id, key } = await memberWithKey('listened');
    const isIt = ({ accountId }: Record<string, unknown>) => accountId === id;
    expect(await other.event('ssh-key.added', isIt)).toMatchObject({ accountId: id, fingerprint: key.fingerprint });
  });

  it('updates the last use of a key, at most every ten minutes, and receives the event', async () => {
    const { id, member, key } = await memberWithKey('user');
    const [added] = await keysOf(member);
    expect(added?.last_used_time).toBe(added?.added_time);
    const usedAt = new Date(Date.now() + MINUTE).toISOString();
    const use = { account: id, fingerprint: key.fingerprint, address: '192.0.2.7', time: usedAt };
    const messageId = other.command('ssh-key.use', use);
    const moved = await until(async () =>
      (await keysOf(member)).find((each) => each.last_used_time !== each.added_time),
    );
    expect(Date.parse(moved.last_used_time)).toBe(Date.parse(usedAt));
    const ofAccount = ({ accountId }: Record<string, unknown>) => accountId === id;
    expect(await other.event('ssh-key.used', ofAccount)).toEqual({ accountId: id, keyId: moved.id, usedAt });
    // Repeats the message, then sends one of the same ten minutes. The last one is parked when the others are done.
    other.command('ssh-key.use', use, messageId);
    other.command('ssh-key.use', { ...use, time: new Date(Date.parse(usedAt) + MINUTE).toISOString() });
    other.command('ssh-key.use', { ...use, fingerprint: `SHA256:${'A'.repeat(43)}` });
    expect((await other.parked()).properties.headers).toMatchObject({ 'x-error-code': 'ssh-key-not-found' });
    expect(await keysOf(member)).toEqual([moved]);
    expect(other.events.map(({ content }) => content.toString()).join('')).not.toContain('192.0.2.7');
  });

  it('looks up the keys for a login name once the account may use SFTP', async () => {
    const { id, key } = await memberWithKey('sftp');
    const question = { username: 'sftp' };
    expect(await other.ask('ssh-keys.look-up', question)).toEqual({ ok: true, data: null });
    const update = { id, username: 'sftp', role: 0, permission: MAY_USE_SFTP, base_path: '/' };
    (await admin.post('/api/admin/user/update', update)).data();
    const answer = SshKeyLookUpReply.parse(await other.ask('ssh-keys.look-up', question));
    const [type = '', blob = ''] = key.line.split(' ');
    expect(answer).toEqual({
      ok: true,
      data: {
        accountId: id,
        username: 'sftp',
        permission: MAY_USE_SFTP,
        keys: [
          {
            keyId: expect.any(Number) as number,
            title: 'laptop',
            type,
            fingerprint: key.fingerprint,
            publicKey: `${type} ${blob}`,
          },
        ],
      },
    });
    (await admin.post('/api/admin/user/update', { ...update, disabled: true })).data();
    expect(await other.ask('ssh-keys.look-up', question)).toEqual({ ok: true, data: null });
  });
});

describe('without RabbitMQ', () => {
  it('a service with a broker address works, is ready and logs that events wait', async () => {
    const address = `amqp://guest:hidden-word@127.0.0.1:${await lastingPort()}`;
    const alone = await StandaloneProcess.start({ KEYFOLD_RABBITMQ_URL: address });
    const member = await newMember(await adminOf(new ApiClient(alone.baseUrl)), 'alone');
    const key = newKeyLine();
    expect((await member.post('/api/me/sshkey/add', { title: 'laptop', key: key.line })).outcome).toBe('200 success');
    await until(() => (alone.output().includes('events stay in the store') ? true : undefined));
    const management = /"url":"(http[^"]+)","msg":"management"/.exec(alone.output())?.[1];
    expect(await (await fetch(`${management}/health/ready`)).json()).toMatchObject({ status: 'ready' });
    expect(await alone.stop()).toBe(0);
    expect(alone.output()).not.toContain('hidden-word');
    await alone.dispose();
  });

  it('a service without a broker address logs once that it publishes nothing', async () => {
    const silent = await StandaloneProcess.start();
    await silent.stop();
    expect(silent.output().split('KEYFOLD_RABBITMQ_URL is not set')).toHaveLength(2);
    await silent.dispose();
  });
});
