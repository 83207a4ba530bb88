import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, newAddress, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { evict, evictOthers, sessionIdOf, sessionsOf, type ListedSession } from '../support/listed-sessions.js';
import { sharedApp } from '../support/shared-app.js';
import { codeNow, enrol } from '../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const outcomeFor = async (client: ApiClient) => (await client.get('/api/me')).outcome;
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

  it('names the factors of a login with a code', async () => {
    const member = await newMember(admin, 'factors');
    const secret = await enrol(member);
    const careful = await api.from(newAddress()).signedIn('factors', 'pw-factors', codeNow(secret, 1));
    const listed = (await sessionsOf(careful)).find(({ current }) => current);
    expect(listed?.factors).toEqual(['password', 'one-time-code']);
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
    const guest = await accountNamed(admin, 'guest');
    (await admin.post('/api/admin/user/update', { ...guest, disabled: false })).data();
    const loggedIn = await api.from(newAddress()).signedIn('guest', 'guest');
    for (const client of [api, loggedIn]) {
      expect((await client.get('/api/me/sessions')).outcome).toBe('403 Guest user can not manage sessions');
      expect((await evictOthers(client)).outcome).toBe('403 Guest user can not manage sessions');
      expect((await evict(client, sessionIdOf(loggedIn))).outcome).toBe('403 Guest user can not manage sessions');
    }
    (await admin.post('/api/admin/user/update', guest)).data();
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
    expect(outcomes.filter((outcome) => outcome === '200 success')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === '401 token is invalidated')).toHaveLength(5);
    const winner = outcomes.indexOf('200 success');
    expect(answers[winner]!.outcome).toBe('200 success');
    expect(
      answers.filter(({ code }) => code !== 200).every(({ outcome }) => outcome === '401 token is invalidated'),
    ).toBe(true);
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

  it('marks the sessions that their account no longer accepts', async () => {
    const member = await newMember(admin, 'marked');
    const statusOf = async () =>
      (await allSessions()).content.find(({ session_id }) => session_id === sessionIdOf(member))?.status;
    const account = await accountNamed(admin, 'marked');
    (await admin.post('/api/admin/user/update', { ...account, disabled: true })).data();
    expect(await statusOf()).toBe(1);
    (await admin.post('/api/admin/user/update', account)).data();
    expect(await statusOf()).toBe(0);
    (await admin.post('/api/admin/user/update', { ...account, password: 'n3w-pass' })).data();
    expect(await statusOf()).toBe(1);
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

  it('is for administrators only', async () => {
    const member = await newMember(admin, 'curious');
    expect((await member.get('/api/admin/session/list')).outcome).toBe('403 You are not an admin');
    const body = { session_id: sessionIdOf(member) };
    expect((await member.post('/api/admin/session/evict', body)).outcome).toBe('403 You are not an admin');
  });
});
