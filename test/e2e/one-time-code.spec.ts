import { beforeAll, describe, expect, it } from 'vitest';
import { adminOf, newAddress, newMember } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { codeNow, enrol } from '../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

// With one source, nearly all logins are throttled. With many, each login costs a password hash.
describe.each<[number, string, () => string]>([
  [100, 'one source', () => '198.51.100.7'],
  [30, 'as many sources', newAddress],
])('one code in %i logins at once from %s', (count, source, addressOf) => {
  const name = `raced from ${source}`;
  let code: string;
  let answers: Answer[];

  beforeAll(async () => {
    const secret = await enrol(await newMember(admin, name));
    code = codeNow(secret, 1);
    const logIn = () => api.from(addressOf()).logIn(name, `pw-${name}`, code);
    answers = await Promise.all(Array.from({ length: count }, logIn));
  });

  it('creates exactly one token', async () => {
    const [won, ...more] = answers.filter((answer) => answer.code === 200);
    expect(more).toEqual([]);
    const { token } = won!.data<{ token: string }>();
    expect((await api.as(token).get('/api/me')).data()).toMatchObject({ username: name, otp: true });
  });

  it('is refused in all others', () => {
    const others = answers.map((answer) => answer.code).filter((each) => each !== 200);
    expect(others).toHaveLength(count - 1);
    for (const each of others) expect([402, 429]).toContain(each);
  });

  it('is never accepted again', async () => {
    expect([402, 429]).toContain((await api.from(newAddress()).logIn(name, `pw-${name}`, code)).code);
  });
});

describe('a login with two-factor', () => {
  it('accepts a code once, even if the process crashes in between', async () => {
    const secret = await enrol(await newMember(admin, 'restarted'));
    const code = codeNow(secret, 1);
    const logIn = () => api.from(newAddress()).logIn('restarted', 'pw-restarted', code);
    expect((await logIn()).code).toBe(200);
    await app.kill();
    await app.restart();
    expect((await logIn()).outcome).toBe('402 Invalid 2FA code');
  });

  it('asks for the code only if the password is correct, and accepts the code of the previous step', async () => {
    const secret = await enrol(await newMember(admin, 'careful'));
    const logIn = (password: string, code?: string) => api.from('198.51.100.9').logIn('careful', password, code);
    expect((await logIn('wrong', codeNow(secret, 1))).outcome).toBe('401 Invalid username or password');
    expect((await logIn('pw-careful')).outcome).toBe('402 Invalid 2FA code');
    expect((await logIn('pw-careful', '12345')).outcome).toBe('402 Invalid 2FA code');
    expect((await logIn('pw-careful', ` ${codeNow(secret, 1)} `)).code).toBe(200);
  });

  it('counts wrong codes: after five, any code or none is refused', async () => {
    const secret = await enrol(await newMember(admin, 'guessed'));
    const logIn = (code?: string) => api.from('198.51.100.10').logIn('guessed', 'pw-guessed', code);
    const right = codeNow(secret, 1);
    const wrong = right === '000000' ? '000001' : '000000';
    const codes: number[] = [];
    for (let round = 0; round < 6; round++) codes.push((await logIn(wrong)).code);
    expect(codes).toEqual([402, 402, 402, 402, 402, 429]);
    for (const refused of [await logIn(right), await logIn()]) {
      expect(refused.code).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
  });
});
