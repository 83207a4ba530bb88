import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount, updateAccount } from '../support/account-changes.js';
import { createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { bareKey, keyLine } from '../support/key-line.js';
import { logLines } from '../support/log-lines.js';
import { metricsWhen } from '../support/metrics.js';
import { addKey, SFTP, servedFileServers } from '../support/openssh/file-servers.js';
import { lookUpToken } from '../support/openssh/server-token.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { storedStaticToken } from '../support/stored-data.js';

const { line, fingerprint } = keyLine('laptop');
const { line: second } = keyLine('desktop');

// Several threads serve the API, and one of them this port.
const { app, admin, servers } = await servedFileServers({ KEYFOLD_THREADS: '2' });
let ann: ApiClient;
let annsId: number;

beforeAll(async () => {
  ({ id: annsId } = await createAccount(admin, 'ann', { permission: SFTP }));
  ann = await signedInAs(new ApiClient(app.baseUrl), 'ann');
  await addKey(ann, 'laptop\nno-option', line);
  await addKey(ann, 'desktop', second);
});

const pathFor = (route: string, username: string, key?: string) =>
  `${route}?${new URLSearchParams({ username, ...(key !== undefined && { fingerprint: key }) }).toString()}`;
const linesOf = (username: string, key?: string) => servers.get(pathFor('/authorized_keys', username, key));
const jsonOf = (username: string, key?: string) => servers.get(pathFor('/ssh-keys', username, key));
describe('the keys of a user', () => {
  it('are lines of authorized_keys without titles, which their owners choose', async () => {
    const answer = await linesOf('ann');
    expect([answer.status, answer.text]).toEqual([200, `${bareKey(line)}\n${bareKey(second)}\n`]);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('private, no-cache');
  });

  it('are also JSON, with the account', async () => {
    expect((await jsonOf('ann')).data()).toEqual({
      account: { id: annsId, username: 'ann', base_path: '/', permission: SFTP },
      keys: [
        {
          id: expect.any(Number),
          title: 'laptop\nno-option',
          type: 'ssh-ed25519',
          fingerprint,
          public_key: bareKey(line),
        },
        expect.objectContaining({ title: 'desktop', public_key: bareKey(second) }),
      ],
    });
  });

  it('can be limited to one fingerprint', async () => {
    expect((await linesOf('ann', fingerprint)).text).toBe(`${bareKey(line)}\n`);
    expect((await jsonOf('ann', fingerprint)).data()).toMatchObject({ keys: [{ fingerprint }] });
  });

  it('have an entity tag that lasts until they change', async () => {
    const before = await linesOf('ann');
    const etag = before.headers.etag!;
    const unchanged = await servers.with({ 'if-none-match': `"other", ${etag}` }).get('/authorized_keys?username=ann');
    expect([unchanged.status, unchanged.text, unchanged.headers.etag]).toEqual([304, '', etag]);
    await addKey(ann, 'third', keyLine('third').line);
    const changed = await servers.with({ 'if-none-match': etag }).get('/authorized_keys?username=ann');
    expect([changed.status, changed.text.split('\n').length]).toEqual([200, 4]);
  });

  it('answer HEAD without a body', async () => {
    const head = await servers.send({ method: 'HEAD', path: '/authorized_keys?username=ann' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100);
  });
});

describe('no key may log in', () => {
  /** All of an answer that could tell one refusal from another. */
  const visible = ({ status, text, headers }: Answer) => {
    const { date: _date, 'x-request-id': _id, ...rest } = headers;
    return { status, text, headers: rest };
  };
  const CASES: Record<string, (name: string) => Promise<void>> = {
    'the name is unknown': async () => {},
    'the account is disabled': async (name) => {
      await newAccount(name, SFTP);
      await updateAccount(admin, name, { disabled: true });
    },
    'the account may not use SFTP': (name) => newAccount(name, 0xff),
    'the account was deleted': async (name) => {
      await newAccount(name, SFTP);
      await deleteAccount(admin, name);
    },
    'the account has no key': async (name) => void (await createAccount(admin, name, { permission: SFTP })),
  };

  async function newAccount(name: string, permission: number): Promise<void> {
    await createAccount(admin, name, { permission });
    await addKey(await signedInAs(new ApiClient(app.baseUrl), name), 'laptop', line);
  }

  it.each(Object.keys(CASES))('if %s, and the answer is the same as for a name that nobody had', async (reason) => {
    const name = `user-${randomUUID()}`;
    await CASES[reason]!(name);
    for (const ask of [linesOf, jsonOf]) {
      const [nobody, nobodysKey] = [visible(await ask(randomUUID())), visible(await ask(randomUUID(), fingerprint))];
      expect(visible(await ask(name))).toEqual(nobody);
      expect(visible(await ask(name, fingerprint))).toEqual(nobodysKey);
      expect(nobody.status).toBe(200);
    }
    expect((await jsonOf(name)).data()).toEqual({ account: null, keys: [] });
    expect((await linesOf(name)).text).toBe('');
  });

  it('with the fingerprint of a key that is not theirs', async () => {
    const unknown = keyLine('unknown').fingerprint;
    expect(visible(await linesOf('ann', unknown))).toEqual(visible(await linesOf(randomUUID(), unknown)));
    expect(visible(await jsonOf('ann', unknown))).toEqual(visible(await jsonOf(randomUUID(), unknown)));
  });
});

describe('a request', () => {
  const refusalOf = async (client: ApiClient) => {
    const answer = await client.get('/authorized_keys?username=ann');
    return { status: answer.status, text: answer.text, realm: answer.headers['www-authenticate'] };
  };

  it('needs an access token: neither a session nor the static token is accepted, and an operator sees the attempt', async () => {
    const api = new ApiClient(servers.baseUrl);
    const answer = await api.as(admin.token).get('/ssh-keys?username=ann');
    await eventually(() => {
      const lines = logLines(app.output()).filter((each) => each['correlation'] === answer.headers['x-request-id']);
      expect(lines).toMatchObject([{ event: 'authn_token_fail:access', outcome: 'refused', network: '127.0.0.0/24' }]);
    });
    for (const header of [
      admin.token,
      `Bearer ${admin.token}`,
      storedStaticToken(app.dataDir),
      'Basic YTpi',
      'Bearer ',
    ]) {
      const { status, text, realm } = await refusalOf(api.as(header));
      expect([status, realm]).toEqual([401, 'Bearer']);
      expect(text).toContain('send an access token with the scope keys:look-up');
    }
    expect(await refusalOf(api)).toMatchObject({ status: 401 });
  });

  it('needs the scope keys:look-up', async () => {
    const other = { name: 'other scopes', scopes: ['keys:manage', 'accounts:manage', 'settings:read'] };
    const { token } = (await admin.post('/api/me/tokens', other)).data<{ token: string }>();
    expect(await refusalOf(servers.as(`Bearer ${token}`))).toMatchObject({
      status: 403,
      text: expect.stringContaining('keys:look-up'),
    });
  });

  it('with a revoked or unknown token is refused, and not logged', async () => {
    const token = await lookUpToken(admin, 'to revoke');
    expect(await refusalOf(servers.as(`Bearer ${token}`))).toMatchObject({ status: 200 });
    const listed = (await admin.get('/api/me/tokens')).data<{ id: number; name: string }[]>();
    const { id } = listed.find(({ name }) => name === 'to revoke')!;
    (await admin.post('/api/me/tokens/revoke', { id })).data();
    expect(await refusalOf(servers.as(`Bearer ${token}`))).toMatchObject({ status: 401 });
    expect(await refusalOf(servers.as(`Bearer kf_${'x'.repeat(42)}`))).toMatchObject({ status: 401 });
    expect(app.output()).not.toContain(token);
  });

  it.each([
    ['/authorized_keys', 'username must be a text of at most 4096 letters'],
    ['/authorized_keys?username=ann&fingerprint=MD5:00', 'fingerprint must have the form'],
    ['/authorized_keys?username=ann&user=bob', 'unknown field "user"'],
    [`/authorized_keys?username=${'x'.repeat(5_000)}`, 'username must be a text of at most 4096 letters'],
    [`/authorized_keys?username=${'x'.repeat(17_000)}`, 'the query is too long'],
    ['/ssh-keys?username=%zz', 'invalid URL escape'],
  ])('for %.60s is refused with the reason', async (path, reason) => {
    const answer = await servers.get(path);
    expect(answer.status).toBe(400);
    expect(answer.outcome).toContain(reason);
  });

  it('for another path or with another method is refused, and the API does not have these routes', async () => {
    for (const path of ['/', '/ping', '/api/me', '/authorized_keys/', '/metrics', '/__proto__'])
      expect((await servers.get(path)).status).toBe(404);
    const post = await servers.post('/authorized_keys?username=ann');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
    const get = await servers.get('/ssh-key-uses');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
    expect((await admin.get('/authorized_keys?username=ann')).status).toBe(404);
  });

  it('of a stranger or for another path is refused before its body is received', async () => {
    const body = 'x'.repeat(70_000);
    for (const [path, status] of [
      ['/ssh-key-uses', 401],
      ['/authorized_keys', 405],
      ['/ping', 404],
    ] as const) {
      const answer = await new ApiClient(servers.baseUrl).send({ method: 'POST', path, body });
      expect([answer.status, answer.headers.connection]).toEqual([status, 'close']);
    }
  });

  it('with a large body, a large head or a slow head ends its connection', async () => {
    const body = await servers.post('/ssh-key-uses', { id: 'x'.repeat(70_000) });
    expect([body.status, body.headers.connection]).toEqual([413, 'close']);
    expect(body.outcome).toContain('at most 65536 bytes');
    const head = `GET /ssh-keys HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(30_000)}\r\n\r\n`;
    expect(await exchangeBytes(servers.baseUrl, head)).toMatch(/^HTTP\/1\.1 431 /);
    expect(await exchangeBytes(servers.baseUrl, 'GET /ssh-keys HTTP/1.1\r\n')).toMatch(/^HTTP\/1\.1 408 /);
  });
});

it('requests are counted by route and status, and no path creates a time series', async () => {
  await servers.get(`/${randomUUID()}`);
  const series = await metricsWhen(app.managementUrl, (each) =>
    each.has('keyfold_servers_requests_total{route="unknown",status="404"}'),
  );
  expect(series.get('keyfold_servers_requests_total{route="/authorized_keys",status="200"}')).toBeGreaterThan(5);
  expect(series.get('keyfold_servers_requests_total{route="/ssh-key-uses",status="503"}')).toBe(0);
  expect(series.get('keyfold_servers_request_duration_seconds_count{route="/ssh-keys"}')).toBeGreaterThan(5);
  expect(series.get('keyfold_servers_requests_in_flight')).toBe(0);
  const routes = [...series.keys()].filter((name) => name.startsWith('keyfold_servers_requests_total'));
  expect(routes.map((name) => /route="([^"]+)"/.exec(name)![1]).filter((route) => route!.length > 20)).toEqual([]);
});
