import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { ADMIN_PASSWORD, adminOf, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { StartFailure } from '../support/standalone-process.js';

const [OLD_SECRET, NEW_SECRET] = [randomBytes(48).toString('base64'), randomBytes(48).toString('base64')];
const OLD = `old:${randomBytes(32).toString('base64')}`;
const NEW = `new:${randomBytes(32).toString('base64')}`;

const app = await sharedApp({ KEYFOLD_SEALING_KEY: OLD, KEYFOLD_TOKEN_SECRET: OLD_SECRET });
const api = new ApiClient(app.baseUrl);
const admins: ApiClient[] = [];

/** Creates an account and a session with the keys in force. */
async function use(name: string): Promise<void> {
  const admin = await adminOf(api);
  await createAccount(admin, name);
  admins.push(admin);
}
const codes = () => Promise.all(admins.map(async (admin) => (await admin.get('/api/me')).code));

it('keys are replaced in two restarts, and passwords and sessions from every step keep working', async () => {
  await use('before');
  await app.restart({ KEYFOLD_SEALING_KEY: `${OLD},${NEW}`, KEYFOLD_TOKEN_SECRET: `${OLD_SECRET},${NEW_SECRET}` });
  await use('between');
  await app.restart({ KEYFOLD_SEALING_KEY: `${NEW},${OLD}`, KEYFOLD_TOKEN_SECRET: `${NEW_SECRET},${OLD_SECRET}` });
  await use('after');
  for (const name of ['before', 'between', 'after'])
    expect((await api.logIn(name, `pw-${name}`)).outcome, name).toBe('200 success');
  expect(await codes()).toEqual([200, 200, 200]);
});

it('a sealing key that sealed stored secrets must not be removed: the start is refused', async () => {
  await app.stop();
  app.spawn({ KEYFOLD_SEALING_KEY: NEW });
  await expect(app.untilReady()).rejects.toThrow(StartFailure);
  expect(app.output()).toMatch(/sealing key/i);
});

it('a removed token secret ends the sessions that it signed, and passwords keep working', async () => {
  app.spawn({ KEYFOLD_SEALING_KEY: `${NEW},${OLD}`, KEYFOLD_TOKEN_SECRET: NEW_SECRET });
  await app.untilReady();
  expect(await codes()).toEqual([401, 401, 200]);
  expect((await api.logIn('admin', ADMIN_PASSWORD)).outcome).toBe('200 success');
});
