import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deleteAccount, updateAccount } from '../support/account-changes.js';
import { accountNamed, adminOf, createAccount, newAddress, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { evict, evictOthers, type ListedSession, sessionIdOf, sessionsOf } from '../support/listed-sessions.js';
import { sharedApp } from '../support/shared-app.js';
import { timesLength } from '../support/test-length.js';
import { enrol } from '../support/two-factor.js';

// Each request has its own connection, so the requests of a race meet in several threads.
const app = await sharedApp({ KEYFOLD_THREADS: '4' });
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const outcomeFor = async (client: ApiClient) => (await client.get('/api/me')).outcome;

describe('a session', () => {
  it('survives restarts and crashes, and so does its end', async () => {
    const member = await newMember(admin, 'survivor');
    const ended = await signedInAs(api, 'survivor');
    await ended.get('/api/auth/logout');
    for (const end of ['stop', 'kill'] as const) {
      await app[end]();
      await app.restart();
      expect(await outcomeFor(member)).toBe('200 success');
      expect(await outcomeFor(ended)).toBe('401 token is invalidated');
    }
  });

  it('is separate for two logins in one second', async () => {
    await createAccount(admin, 'twin');
    const [one, other] = await Promise.all([signedInAs(api, 'twin'), signedInAs(api, 'twin')]);
    expect(one.token).not.toBe(other.token);
    await one.get('/api/auth/logout');
    expect(await outcomeFor(other)).toBe('200 success');
  });

  it('rejects tokens that were changed or made elsewhere', async () => {
    const { token } = await newMember(admin, 'forged');
    const [head, claims, signature] = token.split('.');
    const asAdmin = Buffer.from(Buffer.from(claims!, 'base64url').toString().replace('forged', 'admin'));
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const forgeries = [
      `${head}.${asAdmin.toString('base64url')}.${signature}`,
      `${none}.${claims}.`,
      `${none}.${claims}.${signature}`,
      `${token}x`,
      token.slice(0, -1),
    ];
    for (const forgery of forgeries) expect(await outcomeFor(api.as(forgery))).toBe('401 token is invalidated');
  });
});

describe('other sessions of an account end at once', () => {
  it('when it changes its password, as does the current one', async () => {
    const here = await newMember(admin, 'changer');
    const there = await signedInAs(api, 'changer');
    await here.post('/api/me/update', { username: 'changer', password: 'n3w-pass' });
    for (const client of [here, there]) {
      expect(await outcomeFor(client)).toBe('401 Password has been changed, login please');
    }
    expect(await outcomeFor(await api.signedIn('changer', 'n3w-pass'))).toBe('200 success');
    expect((await api.logIn('changer', 'pw-changer')).code).toBe(401);
  });

  it('but not when something else changes', async () => {
    const member = await newMember(admin, 'steady');
    await updateAccount(admin, 'steady', { base_path: '/home', permission: 1 });
    await enrol(member);
    expect(await outcomeFor(member)).toBe('200 success');
  });
});

describe('a name that becomes free', () => {
  it('goes to a new account without keys, and the old tokens stay invalid', async () => {
    const old = await newMember(admin, 'phoenix');
    const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(42)}E`;
    await old.post('/api/me/sshkey/add', { title: 'old', key });
    const id = await deleteAccount(admin, 'phoenix');
    expect(await outcomeFor(old)).toBe('401 failed find user: record not found');
    expect((await api.logIn('phoenix', 'pw-phoenix')).code).toBe(401);
    expect((await admin.get(`/api/admin/user/sshkey/list?uid=${id}`)).outcome).toBe('404 user invalid');
    const young = await newMember(admin, 'phoenix');
    expect((await accountNamed(admin, 'phoenix')).id).toBeGreaterThan(id);
    expect(await outcomeFor(old)).toBe('401 failed find user: record not found');
    expect((await young.get('/api/me/sshkey/list')).data()).toEqual({ content: [], total: 0 });
    await app.restart();
    expect(await outcomeFor(old)).toBe('401 failed find user: record not found');
    expect(await outcomeFor(young)).toBe('200 success');
  });

  it('goes to the first to ask and to nobody else', async () => {
    await createAccount(admin, 'prize');
    await deleteAccount(admin, 'prize');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.post('/api/admin/user/create', { username: 'prize', password: `pw-${index}` }),
      ),
    );
    const refusals = Array.from({ length: 9 }, () => '500 user name already exists');
    expect(answers.map(({ outcome }) => outcome).toSorted()).toEqual(['200 success', ...refusals]);
  });
});

const idsOf = async (client: ApiClient) => (await sessionsOf(client)).map(({ session_id }) => session_id);
const allSessions = async (query = '') =>
  (await admin.get(`/api/admin/session/list${query}`)).data<{ content: ListedSession[]; total: number }>();
const evictAsAdmin = (body: object) => admin.post('/api/admin/session/evict', body);

describe('the list of own sessions', () => {
  it('shows where, when and how each session was started, and which one is current', async () => {
    const { id } = await createAccount(admin, 'lister');
    const before = Math.floor(Date.now() / 1000);
    const here = await api.from('198.51.100.7').with({ 'user-agent': 'curl/8.5.0' }).signedIn('lister', 'pw-lister');
    const [session] = await sessionsOf(here);
    expect(session).toEqual({
      session_id: sessionIdOf(here),
      user_id: id,
      last_active: session!.started,
      status: 0,
      ua: 'curl/8.5.0',
      ip: '198.51.100.7',
      started: expect.any(Number),
      expires: session!.started + 48 * 3600,
      current: true,
      factors: ['password'],
    });
    expect(session!.started).toBeGreaterThanOrEqual(before);
    expect(session!.started).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('contains no session that has ended, and none of others', async () => {
    const here = await newMember(admin, 'owner');
    await newMember(admin, 'stranger');
    const [there, left] = [await signedInAs(api, 'owner'), await signedInAs(api, 'owner')];
    await left.get('/api/auth/logout');
    expect((await idsOf(here)).toSorted()).toEqual([here, there].map(sessionIdOf).toSorted());
    await here.post('/api/me/update', { username: 'owner', password: 'n3w-pass' });
    const again = await api.from(newAddress()).signedIn('owner', 'n3w-pass');
    expect(await idsOf(again)).toEqual([sessionIdOf(again)]);
  });

  it('is closed to the guest, whose account everybody may use', async () => {
    await updateAccount(admin, 'guest', { disabled: false });
    const loggedIn = await api.from(newAddress()).signedIn('guest', 'guest');
    for (const client of [api, loggedIn]) {
      expect((await client.get('/api/me/sessions')).outcome).toBe('403 Guest user can not manage sessions');
      expect((await evictOthers(client)).outcome).toBe('403 Guest user can not manage sessions');
      expect((await evict(client, sessionIdOf(loggedIn))).outcome).toBe('403 Guest user can not manage sessions');
    }
    await updateAccount(admin, 'guest', { disabled: true });
  });
});

describe('evicting a session', () => {
  it('ends it at once and for good, and no other', async () => {
    const here = await newMember(admin, 'evictor');
    const there = await signedInAs(api, 'evictor');
    expect((await evict(here, sessionIdOf(there))).outcome).toBe('200 success');
    expect((await evict(here, sessionIdOf(there))).outcome).toBe('200 success');
    await app.kill();
    await app.restart();
    expect(await outcomeFor(there)).toBe('401 token is invalidated');
    expect(await outcomeFor(here)).toBe('200 success');
    expect(await idsOf(here)).toEqual([sessionIdOf(here)]);
  });

  it('may end the current one', async () => {
    const member = await newMember(admin, 'self-evictor');
    expect((await evict(member, sessionIdOf(member))).outcome).toBe('200 success');
    expect(await outcomeFor(member)).toBe('401 token is invalidated');
  });

  it('is refused in the same way for an unknown session and for one of another account', async () => {
    const member = await newMember(admin, 'nosy');
    for (const id of [sessionIdOf(admin), randomUUID(), '', 'x'.repeat(10_000), 'account-1', '../x']) {
      expect((await evict(member, id)).outcome).toBe('400 failed find session: record not found');
    }
    expect(await outcomeFor(admin)).toBe('200 success');
  });
});

describe('evicting all other sessions', () => {
  it('keeps the current one, also when it is repeated', async () => {
    const here = await newMember(admin, 'keeper');
    const others = [await signedInAs(api, 'keeper'), await signedInAs(api, 'keeper')];
    expect((await evictOthers(here)).outcome).toBe('200 success');
    expect((await evictOthers(here)).outcome).toBe('200 success');
    for (const other of others) expect(await outcomeFor(other)).toBe('401 token is invalidated');
    const later = await signedInAs(api, 'keeper');
    expect((await idsOf(here)).toSorted()).toEqual([here, later].map(sessionIdOf).toSorted());
    await app.kill();
    await app.restart();
    for (const other of others) expect(await outcomeFor(other)).toBe('401 token is invalidated');
    for (const client of [here, later]) expect(await outcomeFor(client)).toBe('200 success');
  });

  it('leaves one winner if every session does it at the same time', async () => {
    await createAccount(admin, 'duellist');
    const sessions = await Promise.all(Array.from({ length: 6 }, () => signedInAs(api, 'duellist')));
    const answers = await Promise.all(sessions.map(evictOthers));
    const outcomes = await Promise.all(sessions.map(outcomeFor));
    const ended = Array.from({ length: 5 }, () => '401 token is invalidated');
    expect(outcomes.toSorted()).toEqual(['200 success', ...ended]);
    const [won, ...lost] = answers.toSorted((one, other) => one.code - other.code).map(({ outcome }) => outcome);
    expect(answers[outcomes.indexOf('200 success')]!.outcome).toBe('200 success');
    expect(won).toBe('200 success');
    for (const outcome of lost) expect(['200 success', '401 token is invalidated']).toContain(outcome);
  });

  it('leaves no session that was started before, whatever else happens at the same time', async () => {
    const here = await newMember(admin, 'besieged');
    const logins = Array.from({ length: 8 }, () => signedInAs(api, 'besieged'));
    await evictOthers(here);
    const left = await idsOf(here);
    const started = await Promise.all(logins);
    const works = await Promise.all(started.map(async (client) => (await outcomeFor(client)) === '200 success'));
    // A login is either evicted, or it was verified after the eviction. None that the list left out may work later.
    const listed = await idsOf(here);
    expect(
      started
        .filter((_, index) => works[index])
        .map(sessionIdOf)
        .toSorted(),
    ).toEqual(listed.filter((id) => id !== sessionIdOf(here)).toSorted());
    expect(listed).toEqual(expect.arrayContaining(left));
  });

  it('ends every session of an account that an administrator names', async () => {
    const { id } = await createAccount(admin, 'suspect');
    const sessions = [await signedInAs(api, 'suspect'), await signedInAs(api, 'suspect')];
    expect((await evictAsAdmin({ user_id: id })).outcome).toBe('200 success');
    for (const session of sessions) expect(await outcomeFor(session)).toBe('401 token is invalidated');
    expect(await outcomeFor(await signedInAs(api, 'suspect'))).toBe('200 success');
    expect((await evictAsAdmin({ user_id: 987_654 })).outcome).toBe('500 failed get old user: record not found');
  });
});

describe('the list of all sessions', () => {
  it('shows the sessions of all accounts in pages, the latest first', async () => {
    const { id } = await createAccount(admin, 'shown');
    const member = await signedInAs(api, 'shown');
    const { content, total } = await allSessions('?page=1&per_page=2');
    expect(content).toHaveLength(2);
    expect(content.find(({ session_id }) => session_id === sessionIdOf(member))).toMatchObject({
      user_id: id,
      username: 'shown',
      status: 0,
      current: false,
    });
    const all = await allSessions();
    expect(all.total).toBe(total);
    expect(all.content).toHaveLength(total);
    expect(all.content.filter(({ current }) => current).map(({ session_id }) => session_id)).toEqual([
      sessionIdOf(admin),
    ]);
    const started = all.content.map((each) => each.started);
    expect(started).toEqual(started.toSorted((a, b) => b - a));
    expect((await allSessions(`?page=2&per_page=${total}`)).content).toEqual([]);
    expect((await admin.get('/api/admin/session/list?page=x')).code).toBe(400);
  });

  it('contains the sessions of one account if asked to', async () => {
    const { id } = await createAccount(admin, 'single');
    const sessions = [await signedInAs(api, 'single'), await signedInAs(api, 'single')].map(sessionIdOf);
    const { content, total } = await allSessions(`?user_id=${id}`);
    expect(content.map(({ session_id }) => session_id).toSorted()).toEqual(sessions.toSorted());
    expect(total).toBe(2);
    expect((await allSessions('?user_id=999')).content).toEqual([]);
    expect((await admin.get('/api/admin/session/list?user_id=x')).code).toBe(400);
  });

  it('marks the sessions that their account no longer accepts', async () => {
    const member = await newMember(admin, 'marked');
    const statusOf = async () =>
      (await allSessions()).content.find(({ session_id }) => session_id === sessionIdOf(member))?.status;
    for (const [fields, status] of [
      [{ disabled: true }, 1],
      [{ disabled: false }, 0],
      [{ password: 'n3w-pass' }, 1],
    ] as const) {
      await updateAccount(admin, 'marked', fields);
      expect(await statusOf()).toBe(status);
    }
  });

  it('lets an administrator end any session', async () => {
    const member = await newMember(admin, 'any');
    expect((await evictAsAdmin({ session_id: sessionIdOf(member) })).outcome).toBe('200 success');
    expect(await outcomeFor(member)).toBe('401 token is invalidated');
    expect((await allSessions()).content.map(({ session_id }) => session_id)).not.toContain(sessionIdOf(member));
    for (const body of [{}, { session_id: randomUUID() }]) {
      expect((await evictAsAdmin(body)).outcome).toBe('400 failed find session: record not found');
    }
  });
});

const ROUNDS = timesLength(3);

const signInOften = async (username: string, count: number) => {
  await createAccount(admin, username);
  return Promise.all(Array.from({ length: count }, () => signedInAs(api, username)));
};

it('of two sessions that evict each other at once, exactly one survives', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [one, other, leaving, evicted, idle] = await signInOften(`rivals ${round}`, 5);
    const [ofOne, ofOther] = await Promise.all([
      evictOthers(one!),
      evictOthers(other!),
      leaving!.get('/api/auth/logout'),
      evict(one!, sessionIdOf(evicted!)),
    ]);
    const outcomes = await Promise.all([one, other, leaving, evicted, idle].map((client) => outcomeFor(client!)));
    const ended = '401 token is invalidated';
    expect([ofOne.outcome, ofOther.outcome].toSorted()).toEqual(['200 success', ended]);
    expect(outcomes.slice(0, 2)).toEqual(ofOne.code === 200 ? ['200 success', ended] : [ended, '200 success']);
    expect(outcomes.slice(2)).toEqual([ended, ended, ended]);
  }
});

it('no session and no login under way survives a new password, whatever ends at the same time', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const username = `changer ${round}`;
    const [changing, evicting, leaving] = await signInOften(username, 3);
    const login = { username, password: `pw-${username}` };
    const [changed, , , late] = await Promise.all([
      changing!.post('/api/me/update', { username, password: 'n3w-pass' }),
      evictOthers(evicting!),
      leaving!.get('/api/auth/logout'),
      api.from(newAddress()).post('/api/auth/login', login),
    ]);
    const tokens = [changing!, evicting!, leaving!];
    if (late.code === 200) tokens.push(api.as(late.data<{ token: string }>().token));
    const outcomes = await Promise.all(tokens.map(outcomeFor));
    // The eviction may end the session that changes the password first. Then the password stays, and only its own session survives.
    if (changed.code === 200) for (const outcome of outcomes) expect(outcome).toMatch(/^401 /);
    else
      expect(outcomes.slice(0, 3)).toEqual([
        expect.stringMatching(/^401 /),
        '200 success',
        expect.stringMatching(/^401 /),
      ]);
  }
});
