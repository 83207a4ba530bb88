import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { lastingPort } from '../../support/lasting-port.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { loginToken } from '../../support/openssh/server-token.js';
import { migrate, ScaledService } from '../../support/scaled-service.js';

const SFTP = 1 << 10;
let service: ScaledService;
let admin: ApiClient;
/** The servers ports of two gateways behind a balancer. */
let [one, other]: readonly ApiClient[] = [];

beforeAll(async () => {
  const uri = freshDatabaseUri();
  service = await ScaledService.create(uri, { workers: 0 });
  await migrate(uri);
  const ports = await Promise.all(service.gateways.map(() => lastingPort()));
  await Promise.all(
    service.gateways.map((gateway, index) =>
      gateway.start({ KEYFOLD_SERVERS_PORT: String(ports[index]), KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' }),
    ),
  );
  admin = await adminOf(service.api());
  const token = `Bearer ${await loginToken(admin)}`;
  [one, other] = ports.map((port) => new ApiClient(`http://127.0.0.1:${port}`).as(token));
});
afterAll(() => service?.dispose());

it('the prompts of one gateway can be answered at the other', async () => {
  await createAccount(admin, 'ann', { permission: SFTP });
  const request = { request_id: randomUUID(), username: 'ann' };
  const prompted = await one!.post('/sftpgo/prompts', { ...request, step: 1, ip: '192.0.2.1' });
  expect(prompted.json).toMatchObject({ questions: [expect.any(String), expect.any(String)], auth_result: 0 });
  const answered = (answers: string[]) => other!.post('/sftpgo/prompts', { ...request, step: 2, answers });
  expect((await answered(['wrong', ''])).json).toEqual({ auth_result: -1 });
  expect((await answered(['pw-ann', ''])).json).toEqual({ auth_result: 1 });
});

it('a session ends at every gateway after its account was disabled at one', async () => {
  await createAccount(admin, 'leaver', { permission: SFTP });
  const sessions = [{ id: 'a', username: 'leaver', protocol: 'SFTP' }];
  const ended = async (gateway: ApiClient) => (await gateway.post('/sftpgo/sessions', { sessions })).data();
  for (const gateway of [one!, other!]) expect(await ended(gateway)).toEqual({ ended: [] });
  (await admin.post('/api/admin/user/update', { ...(await accountNamed(admin, 'leaver')), disabled: true })).data();
  for (const gateway of [one!, other!]) expect(await ended(gateway)).toEqual({ ended: ['a'] });
});

it('500 sessions of names that nobody asked for before are answered in time', async () => {
  const sessions = Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, username: randomUUID(), protocol: 'SFTP' }));
  const answer = await one!.post('/sftpgo/sessions', { sessions });
  expect(answer.data<{ ended: string[] }>().ended).toHaveLength(500);
});
