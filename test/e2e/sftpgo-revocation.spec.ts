import { describe, expect, it } from 'vitest';
import { accountNamed, createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newAppPassword } from '../support/app-passwords.js';
import { keyLine } from '../support/key-line.js';
import { addKey, SFTP } from '../support/openssh/file-servers.js';
import { servedSftpgo } from '../support/sftpgo/served-sftpgo.js';
import type { Proof } from '../support/sftpgo/sftpgo-server.js';

const TRIES = 200;
let networks = 0;
const { line } = keyLine('laptop');
const { app, admin, sftpgo } = await servedSftpgo({ KEYFOLD_SERVERS_TRUSTED: '127.0.0.1', KEYFOLD_THREADS: '2' });
const owner = await prepared();

async function prepared(): Promise<ApiClient> {
  await createAccount(admin, 'ann', { permission: SFTP });
  return signedInAs(new ApiClient(app.baseUrl), 'ann');
}
const keyAdded = () => addKey(owner, 'laptop', line);
async function keyRemoved(): Promise<void> {
  const [key] = (await owner.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>().content;
  (await owner.post(`/api/me/sshkey/delete?id=${key!.id}`)).data();
}
const update = async (fields: object) =>
  (await admin.post('/api/admin/user/update', { ...(await accountNamed(admin, 'ann')), ...fields })).data();

/** Gives the right to come in and takes it away, many times. Returns the milliseconds that each refusal took after the change. */
async function refusals(allow: () => Promise<Proof>, forbid: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const network = ++networks;
  for (let n = 0; n < TRIES; n++) {
    // A source may fail 50 times.
    const address = `10.${network}.${n}.1`;
    const proof = await allow();
    expect(await sftpgo.logIn('SSH', 'ann', proof, address)).toMatchObject({ username: 'ann' });
    await forbid();
    const changed = performance.now();
    expect(await sftpgo.logIn('SSH', 'ann', proof, address), `try ${n}`).toBe('refused');
    times.push(performance.now() - changed);
  }
  return times.toSorted((a, b) => a - b);
}

describe('a new login through SFTPGo is refused within a second', () => {
  it.each<[string, () => Promise<Proof>, () => Promise<unknown>]>([
    ['its key was removed', async () => (await keyAdded(), { publicKey: line }), keyRemoved],
    [
      'the permission was taken away',
      async () => (await update({ permission: SFTP }), { password: 'pw-ann' }),
      () => update({ permission: 0 }),
    ],
    [
      'its app password was revoked',
      async () => (await update({ permission: SFTP }), { password: (await newAppPassword(owner)).password }),
      async () => {
        const [found] = (await owner.get('/api/me/app_passwords')).data<{ id: number }[]>();
        return (await owner.post('/api/me/app_passwords/revoke', { id: found!.id })).data();
      },
    ],
  ])('after %s, 200 times', { timeout: 120_000 }, async (_what, allow, forbid) => {
    const times = await refusals(allow, forbid);
    const [p50, p99] = [0.5, 0.99].map((share) => times[Math.ceil(times.length * share) - 1]!);
    console.log(`refused within ${p50!.toFixed(1)} ms (p50), ${p99!.toFixed(1)} ms (p99)`);
    expect(p99).toBeLessThan(1_000);
  });
});
