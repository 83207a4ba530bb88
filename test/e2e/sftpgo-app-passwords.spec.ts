import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { servedSftpgo } from '../support/sftpgo/served-sftpgo.js';
import type { Proof } from '../support/sftpgo/sftpgo-server.js';
import { enrol } from '../support/two-factor.js';

const SFTP_AND_WEBDAV = (1 << 10) | (1 << 8);
const { app, admin, sftpgo } = await servedSftpgo({ KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' });
let ann: ApiClient;

beforeAll(async () => {
  await createAccount(admin, 'ann', { permission: SFTP_AND_WEBDAV, base_path: '/ann' });
  ann = await signedInAs(new ApiClient(app.baseUrl), 'ann');
  await enrol(ann);
});

async function newAppPassword(protocol: string): Promise<Readonly<{ id: number; password: string }>> {
  const body = { name: randomUUID(), protocol, expires: null };
  return (await ann.post('/api/me/app_passwords', body)).data<{ id: number; password: string }>();
}

/** Returns the protocols over which a client comes in. */
async function protocolsOf(proof: Proof): Promise<string[]> {
  const outcomes: string[] = [];
  for (const protocol of ['SSH', 'FTP', 'DAV', 'HTTP']) {
    const user = await sftpgo.logIn(protocol, 'ann', proof, newAddress());
    if (typeof user === 'object') outcomes.push(protocol);
  }
  return outcomes;
}

it.each([
  ['sftp', ['SSH']],
  ['ftp', ['FTP']],
  ['webdav', ['DAV']],
  ['any', ['SSH', 'FTP', 'DAV']],
])('an app password for %s lets in over %j, without a code', async (protocol, expected) => {
  const { password } = await newAppPassword(protocol);
  expect(await protocolsOf({ password })).toEqual(expected);
});

it('an app password is also an answer to the prompts, and the password of the account is none', async () => {
  const { password } = await newAppPassword('sftp');
  expect(await sftpgo.logIn('SSH', 'ann', { answers: () => [password, ''] })).toMatchObject({ username: 'ann' });
  expect(await sftpgo.logIn('SSH', 'ann', { answers: () => ['pw-ann', ''] })).toBe('refused');
  expect(await protocolsOf({ password: 'pw-ann' })).toEqual([]);
});

it('a revoked app password is refused at the next login', async () => {
  const { id, password } = await newAppPassword('any');
  expect(await protocolsOf({ password })).toHaveLength(3);
  (await ann.post('/api/me/app_passwords/revoke', { id })).data();
  expect(await protocolsOf({ password })).toEqual([]);
});
