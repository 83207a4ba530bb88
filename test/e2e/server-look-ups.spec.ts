import { beforeAll, describe, expect, it } from 'vitest';
import { updateAccount } from '../support/account-changes.js';
import { createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyLine } from '../support/key-line.js';
import { addKey, SFTP, servedFileServers } from '../support/openssh/file-servers.js';

const { line, fingerprint } = keyLine('shared by two');
const { app, admin, servers } = await servedFileServers({ KEYFOLD_THREADS: '2' });
const api = new ApiClient(app.baseUrl);

async function memberWithKey(name: string): Promise<number> {
  const { id } = await createAccount(admin, name, { permission: SFTP, base_path: `/${name}` });
  await addKey(await signedInAs(api, name), 'laptop', line);
  return id;
}

beforeAll(async () => {
  for (const name of ['ann', 'bob']) await memberWithKey(name);
});

describe('the accounts of a key', () => {
  const owners = async (after?: number) => {
    const query = new URLSearchParams({ fingerprint, ...(after !== undefined && { after: String(after) }) });
    return (await servers.get(`/ssh-key-owners?${query.toString()}`)).data<{
      accounts: { id: number; username: string }[];
      next: number | null;
    }>();
  };

  it('are those that it lets in', async () => {
    const { accounts, next } = await owners();
    expect(accounts.map(({ username }) => username)).toEqual(['ann', 'bob']);
    expect(accounts[0]).toEqual({ id: expect.any(Number), username: 'ann', base_path: '/ann', permission: SFTP });
    expect(next).toBeNull();
    expect((await owners(accounts[0]!.id)).accounts).toEqual([accounts[1]]);
  });

  it('exclude those that may not log in, from the next request on', async () => {
    await memberWithKey('cleo');
    const names = async () => (await owners()).accounts.map(({ username }) => username);
    expect(await names()).toContain('cleo');
    await updateAccount(admin, 'cleo', { permission: 0 });
    expect(await names()).not.toContain('cleo');
    await updateAccount(admin, 'cleo', { permission: SFTP });
    expect(await names()).toContain('cleo');
    await updateAccount(admin, 'cleo', { disabled: true });
    expect(await names()).not.toContain('cleo');
  });

  it('need a fingerprint of the form SHA256:…', async () => {
    const answer = await servers.get('/ssh-key-owners?fingerprint=MD5:00&after=x');
    expect([answer.status, answer.outcome]).toEqual([
      400,
      expect.stringMatching(/fingerprint must have the form[^]*after must be the id of an account/),
    ]);
  });
});

describe('the keys of a user at an earlier time', () => {
  const keysAt = async (username: string, at: string) => {
    const query = new URLSearchParams({ username, at }).toString();
    const text = (await servers.get(`/authorized_keys?${query}`)).text;
    const found = (await servers.get(`/ssh-keys?${query}`)).data<{ account: { id: number } | null; keys: unknown[] }>();
    expect(text.split('\n').length - 1).toBe(found.keys.length);
    return { id: found.account?.id, keys: found.keys.length };
  };
  /** Returns a time after all that was answered, and before all that follows. */
  const moment = async () => {
    const now = Date.now();
    await expect.poll(() => Date.now()).toBeGreaterThan(now + 1);
    return new Date(now + 1).toISOString();
  };

  it('are those that let in then, also after a change, and whoever has the name now', async () => {
    const before = await moment();
    const id = await memberWithKey('dora');
    const open = await moment();
    await updateAccount(admin, 'dora', { disabled: true });
    const closed = await moment();
    await updateAccount(admin, 'dora', { username: 'dora-2', disabled: false });
    const heir = await memberWithKey('dora');
    expect(await keysAt('dora', before)).toEqual({ id: undefined, keys: 0 });
    expect(await keysAt('dora', open)).toEqual({ id, keys: 1 });
    expect(await keysAt('dora', closed)).toEqual({ id: undefined, keys: 0 });
    expect(await keysAt('dora', await moment())).toEqual({ id: heir, keys: 1 });
    expect(await keysAt('dora-2', open)).toEqual({ id: undefined, keys: 0 });
  });

  it('need an RFC 3339 time', async () => {
    const answer = await servers.get('/ssh-keys?username=ann&at=yesterday');
    expect([answer.status, answer.outcome]).toEqual([400, expect.stringContaining('at must be an RFC 3339 time')]);
  });
});
