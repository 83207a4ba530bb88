import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateAccount } from '../support/account-changes.js';
import { createAccount } from '../support/accounts.js';
import { servedSftpgo } from '../support/sftpgo/served-sftpgo.js';
import { closeSessions } from '../support/sftpgo/session-script.js';
import { SftpgoApi } from '../support/sftpgo/sftpgo-api.js';

const [WEBDAV, SFTP] = [1 << 8, 1 << 10];
const API_KEY = 'an-api-key';
const { app, admin, servers, settings, sftpgo } = await servedSftpgo();
const token = settings.header.value.replace('Bearer ', '');
const folder = await mkdtemp(join(tmpdir(), 'keyfold-sftpgo-'));
afterAll(() => rm(folder, { recursive: true }));

beforeAll(async () => {
  for (const [name, permission] of Object.entries({ ann: SFTP | WEBDAV, dav: WEBDAV, leaver: SFTP | WEBDAV }))
    await createAccount(admin, name, { permission });
});

const run = (api: SftpgoApi, changes: object = {}) =>
  closeSessions(folder, { keyfold: servers.baseUrl, token, sftpgo: api.url, apiKey: API_KEY, ...changes });
const ask = (sessions: unknown) => servers.post('/sftpgo/sessions', { sessions } as object);
const session = (username: string, protocol: string) => ({ id: `${protocol}-${username}`, username, protocol });

describe('the script that closes sessions', () => {
  it('closes those of an account that was disabled, and leaves the others', async () => {
    const api = await SftpgoApi.start(API_KEY);
    const stay = ['SFTP', 'SCP', 'SSH', 'FTP', 'DAV'].map((protocol) => api.add(protocol, 'ann'));
    const own = ['SFTP', 'FTP', 'DAV'].map((protocol) => api.add(protocol, 'leaver'));
    expect(await run(api)).toEqual({ status: 0, output: '', errors: '' });
    expect([...api.open.keys()]).toEqual([...stay, ...own]);

    await updateAccount(admin, 'leaver', { disabled: true });
    const { status, output } = await run(api);
    expect([status, output.trim().split('\n')]).toEqual([0, own.map((id) => `closed the session ${encode(id)}`)]);
    expect([...api.open.keys()]).toEqual(stay);
    await updateAccount(admin, 'leaver', { disabled: false });
  });

  it('asks in parts when many sessions are open', async () => {
    const api = await SftpgoApi.start(API_KEY);
    for (let n = 0; n < 1_100; n++) api.add('SFTP', n % 550 === 549 ? `unknown-${n}` : 'ann');
    expect(await run(api)).toMatchObject({ status: 0, errors: '' });
    expect([...api.open.values()].filter(({ username }) => username !== 'ann')).toEqual([]);
    expect(api.open.size).toBe(1_098);
  });

  it('closes nothing without sessions, and leaves the users of SFTPGo alone that it is told about', async () => {
    const api = await SftpgoApi.start(API_KEY);
    expect(await run(api)).toEqual({ status: 0, output: '', errors: '' });
    const local = [api.add('SFTP', 'backup'), api.add('FTP', 'mirror')];
    expect(await run(api, { localUsers: 'backup mirror' })).toEqual({ status: 0, output: '', errors: '' });
    expect([...api.open.keys()]).toEqual(local);
    await run(api, { localUsers: 'backup' });
    expect([...api.open.keys()]).toEqual(local.slice(0, 1));
  });

  it.each([
    ['Keyfold does not answer', { keyfold: 'http://127.0.0.1:9' }],
    ['Keyfold refuses its token', { token: `kf_${'x'.repeat(42)}` }],
    ['SFTPGo refuses its key', { apiKey: 'another' }],
    ['SFTPGo does not answer', { sftpgo: 'http://127.0.0.1:9' }],
  ])('fails and closes nothing if %s', async (_what, changes) => {
    const api = await SftpgoApi.start(API_KEY);
    const id = api.add('SFTP', 'nobody');
    const { status, output, errors } = await run(api, changes);
    expect(status).not.toBe(0);
    expect(output).toBe('');
    expect(errors).toContain('curl:');
    expect([...api.open.keys()]).toEqual([id]);
  });
});

it('the script fails if something else answers in place of Keyfold', async () => {
  const api = await SftpgoApi.start(API_KEY);
  const id = api.add('SFTP', 'nobody');
  for (const body of ['<html>', '{}']) {
    const other = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, errors } = await run(api, { keyfold: `http://127.0.0.1:${port}` });
    other.close();
    expect([status === 0, errors]).toEqual([false, expect.stringMatching(/^(jq: error|parse error|jq: parse error)/)]);
    expect([...api.open.keys()]).toEqual([id]);
  }
});

describe('the question about sessions', () => {
  it('is answered with those whose account may not come in over their protocol', async () => {
    const asked = [
      ...['SFTP', 'SCP', 'SSH', 'FTP', 'DAV', 'HTTP'].map((protocol) => session('dav', protocol)),
      session('ann', 'SFTP'),
      session('unknown', 'DAV'),
      session('unknown', 'HTTP'),
    ];
    const ended = ['SFTP-dav', 'SCP-dav', 'SSH-dav', 'FTP-dav', 'DAV-unknown', 'HTTP-unknown'];
    expect((await ask(asked)).data()).toEqual({ ended });
    expect((await ask([])).data()).toEqual({ ended: [] });
  });

  it('takes at most 500 sessions, and a session in another form is refused', async () => {
    const many = Array.from({ length: 500 }, (_, n) => session(`user-${n}`, 'SFTP'));
    expect((await ask(many)).data<{ ended: string[] }>().ended).toHaveLength(500);
    for (const wrong of [[...many, session('one', 'SFTP')], 'all', null, [{ id: 'a', username: 'b' }], [null], [1]]) {
      const answer = await ask(wrong);
      expect([answer.status, answer.outcome]).toEqual([
        400,
        '400 sessions must be a list of at most 500 sessions with the texts id, username and protocol',
      ]);
    }
  });

  it('needs the scope logins:verify', async () => {
    const { token: other } = (await admin.post('/api/me/tokens', { name: 'keys', scopes: ['keys:look-up'] })).data<{
      token: string;
    }>();
    expect((await servers.as(`Bearer ${other}`).post('/sftpgo/sessions', { sessions: [] })).status).toBe(403);
  });
});

describe('a transfer in an open session', () => {
  const may = (username: string, protocol = 'SFTP') =>
    Promise.all(['pre-download', 'pre-upload'].map((action) => sftpgo.transfer(action, protocol, username)));

  it('is allowed as long as the account may come in and write', async () => {
    const writer = SFTP | (1 << 11) | (1 << 3);
    await createAccount(admin, 'writer', { permission: writer });
    expect(await may('writer')).toEqual([true, true]);
    expect(await may('writer', 'FTP')).toEqual([true, true]);
    expect(await may('writer', 'DAV')).toEqual([false, false]);
    expect(await may('writer', 'HTTP')).toEqual([false, false]);
    await updateAccount(admin, 'writer', { permission: SFTP });
    expect(await may('writer')).toEqual([true, false]);
    await updateAccount(admin, 'writer', { permission: writer, disabled: true });
    expect(await may('writer')).toEqual([false, false]);
    expect(await may('unknown')).toEqual([false, false]);
  });

  it('can be asked about before an upload or a download only', async () => {
    const answer = await servers.post('/sftpgo/transfers', { action: 'pre-delete', username: 'ann', protocol: 'SFTP' });
    expect([answer.status, answer.outcome]).toEqual([400, '400 action must be one of pre-download, pre-upload']);
  });

  it('is denied while Keyfold is down', async () => {
    expect(await may('dav', 'DAV')).toEqual([true, false]);
    await app.stop();
    expect(await may('dav', 'DAV')).toEqual([false, false]);
  });
});

/** As jq's `@uri` does. */
const encode = (text: string) => encodeURIComponent(text).replaceAll("'", '%27');
