import { expect, it } from 'vitest';
import { adminOf, createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { evict, evictOthers, sessionIdOf } from '../support/listed-sessions.js';
import { sharedApp } from '../support/shared-app.js';

const ROUNDS = 8;

// Each request has its own connection, so the changes of a round meet in several threads.
const app = await sharedApp({ KEYFOLD_THREADS: '4' });
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const outcomeOf = async (client: ApiClient) => (await client.get('/api/me')).outcome;
const sessionsOf = async (username: string, count: number) => {
  await createAccount(admin, username);
  return Promise.all(Array.from({ length: count }, () => signedInAs(api, username)));
};

it('of two sessions that evict each other at once, exactly one survives', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [one, other, leaving, evicted, idle] = await sessionsOf(`rivals ${round}`, 5);
    const [ofOne, ofOther] = await Promise.all([
      evictOthers(one!),
      evictOthers(other!),
      leaving!.get('/api/auth/logout'),
      evict(one!, sessionIdOf(evicted!)),
    ]);
    const outcomes = await Promise.all([one, other, leaving, evicted, idle].map((client) => outcomeOf(client!)));
    const ended = '401 token is invalidated';
    expect([ofOne.outcome, ofOther.outcome].toSorted()).toEqual(['200 success', ended]);
    expect(outcomes.slice(0, 2)).toEqual(ofOne.code === 200 ? ['200 success', ended] : [ended, '200 success']);
    expect(outcomes.slice(2)).toEqual([ended, ended, ended]);
  }
});

it('no session and no login under way survives a new password, whatever ends at the same time', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const username = `changer ${round}`;
    const [changing, evicting, leaving] = await sessionsOf(username, 3);
    const login = { username, password: `pw-${username}` };
    const [changed, , , late] = await Promise.all([
      changing!.post('/api/me/update', { username, password: 'n3w-pass' }),
      evictOthers(evicting!),
      leaving!.get('/api/auth/logout'),
      api.from(newAddress()).post('/api/auth/login', login),
    ]);
    const tokens = [changing!, evicting!, leaving!];
    if (late.code === 200) tokens.push(api.as(late.data<{ token: string }>().token));
    const outcomes = await Promise.all(tokens.map(outcomeOf));
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
