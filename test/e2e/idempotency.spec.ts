import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { newAppPassword } from '../support/app-passwords.js';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { operationsOf, type ApiDocument } from '../support/api-document.js';
import { keyLine } from '../support/key-line.js';
import { sessionIdOf } from '../support/listed-sessions.js';
import { sharedApp } from '../support/shared-app.js';
import { listedKeysOf } from '../support/ssh-key-routes.js';
import { storedCommits } from '../support/stored-data.js';
import { codeNow, enrol } from '../support/two-factor.js';

const app = await sharedApp({ KEYFOLD_THREADS: '4' });
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const SUCCESS = '200 success';
const SPENT = '409 this request was already carried out, and its answer is shown only once';
const REUSED = '422 this Idempotency-Key was used for another request: choose a new key';

/** Returns a client whose requests have one key. */
const keyed = (client: ApiClient, key: string = randomUUID()) => client.with({ 'idempotency-key': key });
const parallel = (count: number, send: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, send));
const outcomesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ outcome }) => outcome))];
const commitCount = () => storedCommits(app.dataDir).length;
const newKey = (title: string) => ({ title, key: keyLine(title).line });

/** The routes whose requests make more than one commit. */
const COMMITS: Readonly<Record<string, number>> = {
  'POST /api/auth/2fa/disable': 2,
  'POST /api/admin/user/revoke-everything': 3,
};

/** The routes with tests of their own: those whose answer is shown once, and one that ends the session of the request. */
const OTHERS = ['POST /api/me/tokens', 'POST /api/me/app_passwords', 'POST /api/me/revoke-everything'];

/** How to prepare and send a request for each other route that takes the header. */
const REQUESTS: Readonly<Record<string, (name: string) => Promise<[ApiClient, path: string, body?: object]>>> = {
  'POST /api/me/update': async (name) => {
    const member = await newMember(admin, name);
    return [member, '/api/me/update', { username: name, sso_id: 'new' }];
  },
  'POST /api/me/sshkey/add': async (name) => [await newMember(admin, name), '/api/me/sshkey/add', newKey(name)],
  'POST /api/me/sshkey/update': async (name) => {
    const member = await newMember(admin, name);
    const id = await addedKey(member, name);
    return [member, '/api/me/sshkey/update', { id, title: 'new', expires: '2030-01-31T12:00:00Z' }];
  },
  'POST /api/me/sshkey/delete': async (name) => {
    const member = await newMember(admin, name);
    return [member, `/api/me/sshkey/delete?id=${await addedKey(member, name)}`];
  },
  'POST /api/me/sessions/evict': async (name) => {
    const member = await newMember(admin, name);
    const other = await signedInAs(api, name);
    return [member, '/api/me/sessions/evict', { session_id: sessionIdOf(other) }];
  },
  'POST /api/me/tokens/revoke': async (name) => {
    const member = await newMember(admin, name);
    const { id } = await newAccessToken(member, ['profile:read']);
    return [member, '/api/me/tokens/revoke', { id }];
  },
  'POST /api/me/app_passwords/revoke': async (name) => {
    const member = await newMember(admin, name);
    const { id } = await newAppPassword(member);
    return [member, '/api/me/app_passwords/revoke', { id }];
  },
  'POST /api/admin/app_password/revoke': async (name) => {
    const { id } = await newAppPassword(await newMember(admin, name));
    return [admin, '/api/admin/app_password/revoke', { id }];
  },
  'POST /api/admin/token/revoke': async (name) => {
    const { id } = await newAccessToken(await newMember(admin, name), ['profile:read']);
    return [admin, '/api/admin/token/revoke', { id }];
  },
  'POST /api/auth/2fa/verify': async (name) => {
    const member = await newMember(admin, name);
    const { secret } = (await member.post('/api/auth/2fa/generate')).data<{ secret: string }>();
    return [member, '/api/auth/2fa/verify', { code: codeNow(secret), secret }];
  },
  'POST /api/auth/2fa/disable': async (name) => {
    const member = await newMember(admin, name);
    await enrol(member);
    const codes = (await member.post('/api/auth/2fa/recovery_codes', { password: `pw-${name}` })).data<{
      recovery_codes: string[];
    }>();
    // Spending a recovery code is a commit of its own, before the one that the key belongs to.
    return [member, '/api/auth/2fa/disable', { otp_code: codes.recovery_codes[0] }];
  },
  'POST /api/admin/user/create': async (name) => [admin, '/api/admin/user/create', { username: name, password: 'pw' }],
  'POST /api/admin/user/update': async (name) => {
    const account = await createAccount(admin, name);
    return [admin, '/api/admin/user/update', { ...account, base_path: '/new', password: 'n3w-pass' }];
  },
  'POST /api/admin/user/delete': async (name) => {
    const { id } = await createAccount(admin, name);
    return [admin, `/api/admin/user/delete?id=${id}`];
  },
  'POST /api/admin/user/cancel_2fa': async (name) => {
    await enrol(await newMember(admin, name));
    const { id } = await accountNamed(admin, name);
    return [admin, `/api/admin/user/cancel_2fa?id=${id}`];
  },
  'POST /api/admin/user/revoke-everything': async (name) => {
    const member = await newMember(admin, name);
    await newAccessToken(member, ['profile:read']);
    await newAppPassword(member);
    const { id } = await accountNamed(admin, name);
    return [admin, `/api/admin/user/revoke-everything?id=${id}`];
  },
  'POST /api/admin/user/sshkey/delete': async (name) => {
    const member = await newMember(admin, name);
    return [admin, `/api/admin/user/sshkey/delete?id=${await addedKey(member, name)}`];
  },
  'POST /api/admin/session/evict': async (name) => {
    const member = await newMember(admin, name);
    return [admin, '/api/admin/session/evict', { session_id: sessionIdOf(member) }];
  },
  'POST /api/admin/setting/save': async (name) => {
    return [admin, '/api/admin/setting/save', [{ key: 'site_title', value: name }]];
  },
  'POST /api/admin/setting/delete': async (name) => {
    (await admin.post('/api/admin/setting/save', [{ key: name, value: '1' }])).data();
    return [admin, `/api/admin/setting/delete?key=${name}`];
  },
};

async function addedKey(member: ApiClient, title: string): Promise<number> {
  (await member.post('/api/me/sshkey/add', newKey(title))).data();
  return (await listedKeysOf(member))[0]!.id;
}

it('is documented for the routes that take it, and no others', async () => {
  const document = (await api.get('/openapi.json')).json as ApiDocument;
  const taking = operationsOf(document)
    .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'Idempotency-Key'))
    .map(([route]) => route);
  expect(taking.toSorted()).toEqual([...Object.keys(REQUESTS), ...OTHERS].toSorted());
});

describe.each(Object.entries(REQUESTS))('%s', (route, prepare) => {
  it('has one effect and one answer under one key', async () => {
    const [client, path, body] = await prepare(`once${route.replaceAll(/\W+/g, '-')}`);
    const before = commitCount();
    const repeating = keyed(client);
    const first = await repeating.post(path, body);
    expect(first.outcome).toBe(SUCCESS);
    const made = commitCount() - before;
    expect(made).toBe(COMMITS[route] ?? 1);
    const repeats = await Promise.all([repeating.post(path, body), repeating.post(path, body)]);
    expect(repeats.map(({ text }) => text)).toEqual([first.text, first.text]);
    expect(commitCount() - before).toBe(made);
  });
});

describe('40 parallel requests under one key', () => {
  it('add one SSH key', async () => {
    const member = keyed(await newMember(admin, 'adder'));
    const before = commitCount();
    const answers = await parallel(40, () => member.post('/api/me/sshkey/add', newKey('laptop')));
    expect(outcomesOf(answers)).toEqual([SUCCESS]);
    expect(commitCount() - before).toBe(1);
  });

  it('create one access token, which one answer shows', async () => {
    const member = await newMember(admin, 'minter');
    const before = commitCount();
    const wanted = { name: 'backup', scopes: ['profile:read'] };
    const creating = keyed(member);
    const answers = await parallel(40, () => creating.post('/api/me/tokens', wanted));
    const shown = answers.filter(({ code }) => code === 200);
    expect(shown).toHaveLength(1);
    expect(outcomesOf(answers.filter(({ code }) => code !== 200))).toEqual([SPENT]);
    expect(commitCount() - before).toBe(1);
    expect((await member.get('/api/me/tokens')).data()).toHaveLength(1);
    const { token } = shown[0]!.data<{ token: string }>();
    expect((await api.as(token).get('/api/me')).outcome).toBe(SUCCESS);
    expect((await creating.post('/api/me/tokens', { ...wanted, name: 'other' })).outcome).toBe(REUSED);
  });

  it('of different content have one effect, and the others are refused', async () => {
    const member = keyed(await newMember(admin, 'mixer'));
    const before = commitCount();
    let count = 0;
    const answers = await parallel(20, () => member.post('/api/me/sshkey/add', newKey(`key ${count++}`)));
    expect(outcomesOf(answers).toSorted()).toEqual([SUCCESS, REUSED]);
    expect(answers.filter(({ outcome }) => outcome === SUCCESS)).toHaveLength(1);
    expect(commitCount() - before).toBe(1);
  });
});

describe('a key', () => {
  it('is refused for another body, query or route', async () => {
    const member = keyed(await newMember(admin, 'changer'));
    (await member.post('/api/me/sshkey/add', newKey('one'))).data();
    expect((await member.post('/api/me/sshkey/add', newKey('two'))).outcome).toBe(REUSED);
    expect((await member.post('/api/me/sshkey/add?x=1', newKey('one'))).outcome).toBe(REUSED);
    expect((await member.post('/api/me/sessions/evict', { others: true })).outcome).toBe(REUSED);
  });

  it('belongs to one account', async () => {
    const [one, other] = [await newMember(admin, 'left'), await newMember(admin, 'right')];
    for (const member of [one, other]) {
      (await keyed(member, 'same').post('/api/me/sshkey/add', newKey(member === one ? 'l' : 'r'))).data();
    }
    expect(await listedKeysOf(other)).toHaveLength(1);
  });

  it('holds after a new password, a new login, a crash and a restart', async () => {
    const member = await newMember(admin, 'returning');
    const change = { username: 'returning', password: 'pw-returning' };
    (await keyed(member, 'change').post('/api/me/update', change)).data();
    expect((await keyed(member, 'change').post('/api/me/update', change)).code).toBe(401);
    await app.kill();
    await app.restart();
    const again = await signedInAs(api, 'returning');
    expect((await keyed(again, 'change').post('/api/me/update', change)).outcome).toBe(SUCCESS);
    expect((await again.get('/api/me')).outcome).toBe(SUCCESS);
  });

  it('of a request that ended its session holds for the next one', async () => {
    const member = await newMember(admin, 'cautious');
    await newAccessToken(member, ['profile:read']);
    const revoke = (client: ApiClient) => keyed(client, 'everything').post('/api/me/revoke-everything');
    const first = await revoke(member);
    expect(first.outcome).toBe(SUCCESS);
    expect((await revoke(member)).code).toBe(401);
    const again = await signedInAs(api, 'cautious');
    const { client } = await newAccessToken(again, ['profile:read']);
    expect((await revoke(again)).text).toBe(first.text);
    for (const each of [again, client]) expect((await each.get('/api/me')).outcome).toBe(SUCCESS);
  });

  it('is not used up by a refused request', async () => {
    const member = await newMember(admin, 'retrying');
    const id = await addedKey(member, 'old');
    const adding = keyed(member);
    const wanted = { ...newKey('new'), title: 'old' };
    expect((await adding.post('/api/me/sshkey/add', wanted)).outcome).toBe(
      '500 key with the same title already exists',
    );
    (await member.post(`/api/me/sshkey/delete?id=${id}`)).data();
    expect((await adding.post('/api/me/sshkey/add', wanted)).outcome).toBe(SUCCESS);
  });

  it.each(['', ' ', 'two words', 'ümlaut', 'x'.repeat(256)])('%j is refused', async (key) => {
    const answer = await keyed(admin, key).post('/api/admin/setting/save', [{ key: 'site_title', value: 'x' }]);
    expect(answer.outcome).toBe('400 Idempotency-Key must consist of 1 to 255 visible ASCII characters');
  });

  it('of a new app password is refused when it is repeated', async () => {
    const creating = keyed(await newMember(admin, 'smith'));
    const wanted = { name: 'phone', protocol: 'webdav' };
    expect((await creating.post('/api/me/app_passwords', wanted)).outcome).toBe(SUCCESS);
    expect((await creating.post('/api/me/app_passwords', wanted)).outcome).toBe(SPENT);
    expect((await creating.post('/api/me/app_passwords', { ...wanted, name: 'other' })).outcome).toBe(REUSED);
  });

  it('is ignored by routes whose answer contains a secret', async () => {
    const member = keyed(await newMember(admin, 'secretive'), 'one');
    const secrets = await Promise.all([1, 2].map(() => member.post('/api/auth/2fa/generate')));
    expect(new Set(secrets.map((answer) => answer.data<{ secret: string }>().secret)).size).toBe(2);
  });
});
