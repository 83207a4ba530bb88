import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateAccount } from '../../support/account-changes.js';
import { adminOf, createAccount, newAddress, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { keyLine } from '../../support/key-line.js';
import { lastingPort } from '../../support/lasting-port.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { addKey, SFTP } from '../../support/openssh/file-servers.js';
import { loginToken } from '../../support/openssh/server-token.js';
import { migrate, ScaledService } from '../../support/scaled-service.js';
import { codeNow, enrol } from '../../support/two-factor.js';

const REFUSED = { account: null, factors: [] };
const { line } = keyLine('laptop');

let service: ScaledService;
/** The API and the servers port of each gateway. */
let admins: readonly ApiClient[];
let servers: readonly ApiClient[];

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
  const admin = await adminOf(service.api());
  admins = service.urls.map((url) => new ApiClient(url).as(admin.token));
  const token = `Bearer ${await loginToken(admin)}`;
  servers = ports.map((port) => new ApiClient(`http://127.0.0.1:${port}`).as(token));
});
afterAll(() => service?.dispose());

const ask = (gateway: number, username: string, fields: object) =>
  servers[gateway]!.post('/logins', { protocol: 'sftp', username, address: newAddress(), ...fields });

it('a change at one gateway counts for the next login at the other', async () => {
  const { id } = await createAccount(admins[0]!, 'ann', { permission: SFTP });
  await addKey(await signedInAs(service.api(), 'ann'), 'laptop', line);
  // A success forgives the failures of its address.
  const address = newAddress();
  const secrets = [
    [
      { password: 'pw-ann', address },
      { ...REFUSED, not_permitted: true },
    ],
    [{ public_key: line }, REFUSED],
  ] as const;
  for (let n = 0; n < 20; n++) {
    const [writer, reader] = [admins[n % 2]!, (n + 1) % 2];
    const change = n % 4 < 2 ? { permission: 0 } : { disabled: true };
    await updateAccount(writer, 'ann', change);
    for (const [secret, refusal] of secrets) expect((await ask(reader, 'ann', secret)).data(), `${n}`).toEqual(refusal);
    await updateAccount(writer, 'ann', { permission: SFTP, disabled: false });
    for (const [secret] of secrets)
      expect((await ask(reader, 'ann', secret)).data(), `${n}`).toMatchObject({ account: { id } });
  }
});

it('one code that both gateways check at once is right once', async () => {
  await createAccount(admins[0]!, 'coded', { permission: SFTP });
  const secret = await enrol(await signedInAs(service.api(), 'coded'));
  const password = `pw-coded${codeNow(secret, 1)}`;
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => ask(n % 2, 'coded', { password, address: `10.${n}.0.1` })),
  );
  const factors = answers.map((answer) => answer.data<{ factors: string[] }>().factors);
  expect(factors.filter(({ length }) => length > 0)).toEqual([['password', 'one-time-code']]);
});

it('failures at both gateways and at the API count together', async () => {
  await createAccount(admins[0]!, 'guessed', { permission: SFTP });
  const address = newAddress();
  for (let n = 0; n < 4; n++)
    expect((await ask(n % 2, 'guessed', { password: `${n}`, address })).data()).toEqual(REFUSED);
  expect((await service.api().from(address).logIn('guessed', 'wrong')).code).toBe(401);
  for (const gateway of [0, 1])
    expect((await ask(gateway, 'guessed', { password: 'pw-guessed', address })).status).toBe(429);
});

it('the prompts of one gateway can be answered at the other', async () => {
  await createAccount(admins[0]!, 'typist', { permission: SFTP });
  const request = { request_id: randomUUID(), username: 'typist' };
  const prompted = await servers[0]!.post('/sftpgo/prompts', { ...request, step: 1, ip: '192.0.2.1' });
  expect(prompted.json).toMatchObject({ questions: [expect.any(String), expect.any(String)], auth_result: 0 });
  const answered = (answers: string[]) => servers[1]!.post('/sftpgo/prompts', { ...request, step: 2, answers });
  expect((await answered(['wrong', ''])).json).toEqual({ auth_result: -1 });
  expect((await answered(['pw-typist', ''])).json).toEqual({ auth_result: 1 });
});

it('a session ends at every gateway after its account was disabled at one', async () => {
  await createAccount(admins[0]!, 'leaver', { permission: SFTP });
  const sessions = [{ id: 'a', username: 'leaver', protocol: 'SFTP' }];
  const ended = async (gateway: ApiClient) => (await gateway.post('/sftpgo/sessions', { sessions })).data();
  for (const gateway of servers) expect(await ended(gateway)).toEqual({ ended: [] });
  await updateAccount(admins[0]!, 'leaver', { disabled: true });
  for (const gateway of servers) expect(await ended(gateway)).toEqual({ ended: ['a'] });
});

it('500 sessions of names that nobody asked for before are answered in time', async () => {
  const sessions = Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, username: randomUUID(), protocol: 'SFTP' }));
  const answer = await servers[0]!.post('/sftpgo/sessions', { sessions });
  expect(answer.data<{ ended: string[] }>().ended).toHaveLength(500);
});
