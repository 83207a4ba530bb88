import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { storedUpcasters } from '@keyfold/domain';
import { expect } from 'vitest';
import { adminOf, createAccount, newAddress, signedInAs } from './accounts.js';
import { newAccessToken } from './access-tokens.js';
import type { ApiClient } from './api-client.js';
import { newAppPassword } from './app-passwords.js';
import { eventually } from './eventually.js';
import { EveryChange, type Operate } from './every-change.js';
import { newKeyLine } from './key-line.js';
import type { CommandLine } from './keyfold-process.js';
import { needs } from './needs.js';
import { SFTP, WEBDAV } from './openssh/file-servers.js';
import { loginToken, lookUpToken } from './openssh/server-token.js';
import { releaseFolder } from './programs.js';
import { inMilliseconds } from './ssh-key-routes.js';
import { codeNow, enrol } from './two-factor.js';

await needs('the last release');

/** Returns a command line of the `keyfold` of the release: `start`, `gateway`, `worker` or an operator command. */
export const released = (...words: readonly string[]): CommandLine => [join(releaseFolder, 'keyfold'), ...words];

/** The refusal of data with schema 99. */
export const ADVICE =
  /has schema 99, but this version only supports schema \d+\. Start the newer version again, or restore the backup from before the upgrade/;

/** The end of the output of `keyfold verify`. Beside running processes, it may skip documents that were just written. */
export const NO_PROBLEMS: unknown = expect.stringMatching(/: no problems\n$/);

/** Clients without a login of the API and the servers port of a process. */
export type Entrance = Readonly<{ api: ApiClient; servers: ApiClient }>;

/** An account with one of everything. `codes` are its unused recovery codes. */
type Owner = Readonly<{
  id: number;
  name: string;
  session: string;
  secret: string;
  codes: string[];
  appPassword: string;
  accessToken: string;
  fingerprint: string;
}>;

/** The tokens and accounts that the release created. */
export type Created = Readonly<{ admin: string; lookUps: string; logins: string; owners: readonly [Owner, Owner] }>;

/** The types of events that this version can store and the release cannot. */
const LATER_EVENTS: readonly string[] = ['AccountErased', 'BackupMade', 'OpenListUserLinked'];

/** Expects that the release stored every other type of event. */
export function expectEveryEvent(stored: Iterable<string>): void {
  expect([...new Set(stored), ...LATER_EVENTS].toSorted()).toEqual(Object.keys(storedUpcasters).toSorted());
}

/** Ways into a service besides its ports. `setWrongCodes` changes the stored counts of wrong one-time codes. */
type Backdoor = Readonly<{ operate: Operate; setWrongCodes: (count: number) => unknown }>;

const passwordOf = (name: string) => `pw-${name}`;

/** Causes every kind of event, except those of resealing, and leaves two accounts with one of everything. */
export async function fill(entrance: Entrance, { operate, setWrongCodes }: Backdoor): Promise<Created> {
  const { api, servers } = entrance;
  await new EveryChange(api.baseUrl, operate).make();
  const admin = await adminOf(api);
  (await admin.post('/api/admin/setting/save', [{ key: 'kept_setting', value: 'a kept secret' }])).data();
  const [lookUps, logins] = [await lookUpToken(admin), await loginToken(admin)];
  const owners = [await newOwner(admin, 'ann'), await newOwner(admin, 'bob')] as const;

  const { name, session, secret, fingerprint } = await newOwner(admin, 'cleo');
  const use = { id: randomUUID(), username: name, fingerprint, time: new Date().toISOString() };
  expect((await servers.as(`Bearer ${lookUps}`).post('/ssh-key-uses', use)).status).toBe(204);
  const login = { protocol: 'webdav', username: name, password: passwordOf(name), address: newAddress() };
  const checked = await servers.as(`Bearer ${logins}`).post('/logins', { ...login, code: codeNow(secret, 1) });
  expect(checked.data()).toMatchObject({ factors: ['password', 'one-time-code'] });

  const guess = () => api.from(newAddress()).logIn(name, passwordOf(name), '000000');
  expect((await guess()).outcome).toBe('402 Invalid 2FA code');
  await setWrongCodes(99);
  expect((await guess()).outcome).toBe('402 Invalid 2FA code');
  expect(await operate('', 'account', 'unlock', name)).toMatchObject({ status: 0 });

  const brief = { title: 'brief', key: newKeyLine().line, expires: inMilliseconds(1_000) };
  (await api.as(session).post('/api/me/sshkey/add', brief)).data();
  await eventually(async () => {
    const { content } = (await admin.get('/api/admin/activity?type=ssh-key.expired')).data<{ content: object[] }>();
    expect(content).toHaveLength(1);
  });
  return { admin: admin.token, lookUps, logins, owners };
}

async function newOwner(admin: ApiClient, name: string): Promise<Owner> {
  const { id } = await createAccount(admin, name, { permission: SFTP | WEBDAV });
  const client = await signedInAs(admin, name);
  const { line, fingerprint } = newKeyLine();
  (await client.post('/api/me/sshkey/add', { title: 'laptop', key: line })).data();
  const secret = await enrol(client);
  const generated = await client.post('/api/auth/2fa/recovery_codes', { password: passwordOf(name) });
  const { recovery_codes: codes } = generated.data<{ recovery_codes: string[] }>();
  const { password: appPassword } = await newAppPassword(client);
  const { token: accessToken } = await newAccessToken(client, ['profile:read']);
  return { id, name, session: client.token, secret, codes, appPassword, accessToken, fingerprint };
}

/** Returns the answers of all lists. */
export async function listsOf({ api }: Entrance, { admin, owners }: Created): Promise<Record<string, unknown>> {
  const lists: Record<string, unknown> = {};
  const read = async (token: string, path: string) => {
    const answer = await api.as(token).get(path);
    expect(answer.status, path).toBe(200);
    lists[path] = answer.hasEnvelope ? comparable(answer.data()) : answer.text.split('\n');
  };
  for (const path of ['user', 'token', 'app_password', 'session', 'setting'])
    await read(admin, `/api/admin/${path}/list`);
  await read(admin, '/api/admin/activity/export');
  const [{ id, session, fingerprint }] = owners;
  await read(admin, `/api/admin/user/activity?id=${id}`);
  await read(admin, `/api/admin/user/sshkey/list?uid=${id}`);
  await read(admin, `/api/admin/sshkey/find?fingerprint=${encodeURIComponent(fingerprint)}`);
  const own = ['sshkey/list', 'sshkey/authorized_keys', 'tokens', 'app_passwords', 'sessions', 'activity'];
  for (const path of own) await read(session, `/api/me/${path}`);
  return lists;
}

/** Leaves out the version, and the times of the last use, which reading the lists changes. */
function comparable(data: unknown): unknown {
  const text = JSON.stringify(data, (key, value: unknown) => {
    if (key === 'last_active' || key === 'last_used') return undefined;
    return typeof value === 'string' && value.startsWith('Keyfold v') ? undefined : value;
  });
  return JSON.parse(text);
}

/** Expects every way to log in to work: sessions and tokens from before, password with each kind of code, app password and key. */
export async function expectLogins({ api, servers }: Entrance, created: Created, owner: Owner): Promise<void> {
  const { name, session, secret, codes, appPassword, accessToken, fingerprint } = owner;
  for (const token of [session, accessToken])
    expect((await api.as(token).get('/api/me')).data()).toMatchObject({ username: name });
  for (const code of [codeNow(secret, 1), codes.shift()!])
    expect((await api.from(newAddress()).logIn(name, passwordOf(name), code)).outcome).toBe('200 success');
  const login = { protocol: 'webdav', username: name, password: appPassword, address: newAddress() };
  const checked = (await servers.as(`Bearer ${created.logins}`).post('/logins', login)).data();
  expect(checked).toMatchObject({ account: { id: owner.id }, factors: ['app-password'] });
  const query = `fingerprint=${encodeURIComponent(fingerprint)}`;
  const found = (await servers.as(`Bearer ${created.lookUps}`).get(`/ssh-key-owners?${query}`)).data();
  expect(found).toMatchObject({ accounts: [{ id: owner.id, username: name }] });
}
