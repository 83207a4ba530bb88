import { expect, it } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const REFUSED =
  '429 Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.';
const WRONG = '401 Invalid username or password';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
for (const name of ['besieged', 'steady', 'forgetful', 'killed']) await createAccount(admin, name);

const parallel = (count: number, login: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, login));
const outcomesOf = (answers: Answer[]) => Map.groupBy(answers, ({ outcome }) => outcome);

it.each(['besieged', 'no-such-name'])(
  'of 100 parallel wrong passwords for the account %s from one source, at most 5 are checked',
  async (name) => {
    const source = api.from(`198.51.100.${name.length}`);
    const outcomes = outcomesOf(await parallel(100, () => source.logIn(name, 'wrong')));
    expect([...outcomes.keys()].toSorted()).toEqual([WRONG, REFUSED]);
    expect(outcomes.get(WRONG)).toHaveLength(5);
    for (const { status, headers } of outcomes.get(REFUSED)!) {
      expect(status).toBe(200);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(300);
    }
  },
);

it('that source is refused the correct password, while other sources and accounts may log in', async () => {
  const source = api.from('198.51.100.8');
  expect((await source.logIn('besieged', 'pw-besieged')).outcome).toBe(REFUSED);
  expect((await source.logIn('steady', 'pw-steady')).code).toBe(200);
  expect((await api.from('203.0.113.1').logIn('besieged', 'pw-besieged')).code).toBe(200);
});

it('an IPv6 customer is one source and locks out nobody else', async () => {
  const outcomes: number[] = [];
  for (let host = 1; host <= 6; host++) {
    outcomes.push((await api.from(`2001:db8:1:2::${host}`).logIn('steady', 'wrong')).code);
  }
  expect(outcomes).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await api.from('2001:db8:2:3::1').logIn('steady', 'pw-steady')).code).toBe(200);
});

it('a correct password resets the count of wrong ones', async () => {
  const source = api.from('198.51.100.20');
  for (let round = 0; round < 3; round++) {
    const wrong = await parallel(4, () => source.logIn('forgetful', 'wrong'));
    expect([...outcomesOf(wrong).keys()]).toEqual([WRONG]);
    expect((await source.logIn('forgetful', 'pw-forgetful')).code).toBe(200);
  }
});

// More than the 50 wrong attempts of one source.
it('60 parallel correct passwords all succeed', async () => {
  const answers = await parallel(60, () => api.from('198.51.100.30').logIn('forgetful', 'pw-forgetful'));
  expect(answers.every(({ code }) => code === 200)).toBe(true);
});

it('one source gets at most 50 wrong attempts over all accounts', async () => {
  const source = api.from('198.51.100.40');
  const names = Array.from({ length: 60 }, (_, index) => `name-${index}`);
  const outcomes = outcomesOf(await Promise.all(names.map((name) => source.logIn(name, 'wrong'))));
  expect(outcomes.get(WRONG)).toHaveLength(50);
  expect(outcomes.get(REFUSED)).toHaveLength(10);
});

it('an unreadable body does not count as an attempt', async () => {
  const source = api.from('198.51.100.50');
  for (let round = 0; round < 7; round++) {
    expect((await source.post('/api/auth/login', { username: 'steady', password: 1 })).code).toBe(400);
  }
  expect((await source.logIn('steady', 'pw-steady')).code).toBe(200);
});

it.each(['stop', 'kill'] as const)('a refused source stays refused after a %s of the process', async (end) => {
  const source = api.from(`198.51.100.${60 + end.charCodeAt(0)}`);
  await parallel(5, () => source.logIn('killed', 'wrong'));
  expect((await source.logIn('killed', 'pw-killed')).outcome).toBe(REFUSED);
  await app[end]();
  await app.restart();
  expect((await source.logIn('killed', 'pw-killed')).outcome).toBe(REFUSED);
  expect((await api.from('203.0.113.9').logIn('killed', 'pw-killed')).code).toBe(200);
});
