import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, newAddress, newMember } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { codeNow, enrol } from '../support/two-factor.js';

let app: StandaloneProcess;
let api: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  api = new ApiClient(app.baseUrl);
  admin = await adminOf(api);
});

afterAll(() => app.dispose());

// From one source nearly all logins are throttled. From many sources each one costs a password hash.
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

  it('gives exactly one token', async () => {
    const [won, ...more] = answers.filter((answer) => answer.code === 200);
    expect(more).toEqual([]);
    const { token } = won!.data<{ token: string }>();
    expect((await api.as(token).get('/api/me')).data()).toMatchObject({ username: name, otp: true });
  });

  it('is refused to all others', () => {
    const others = answers.map((answer) => answer.code).filter((each) => each !== 200);
    expect(others).toHaveLength(count - 1);
    for (const each of others) expect([402, 429]).toContain(each);
  });

  it('gives no token ever again', async () => {
    expect([402, 429]).toContain((await api.from(newAddress()).logIn(name, `pw-${name}`, code)).code);
  });
});

describe('a login with two-factor', () => {
  it('takes a code once, whatever happens to the process in between', async () => {
    const secret = await enrol(await newMember(admin, 'restarted'));
    const code = codeNow(secret, 1);
    const logIn = () => api.from(newAddress()).logIn('restarted', 'pw-restarted', code);
    expect((await logIn()).code).toBe(200);
    await app.kill();
    await app.restart();
    expect((await logIn()).outcome).toBe('402 Invalid 2FA code');
  });

  it('asks for the code only when the password is right, and takes the code of the step before', async () => {
    const secret = await enrol(await newMember(admin, 'careful'));
    const logIn = (password: string, code?: string) => api.from('198.51.100.9').logIn('careful', password, code);
    expect((await logIn('wrong', codeNow(secret, 1))).outcome).toBe('401 Invalid username or password');
    expect((await logIn('pw-careful')).outcome).toBe('402 Invalid 2FA code');
    expect((await logIn('pw-careful', '12345')).outcome).toBe('402 Invalid 2FA code');
    expect((await logIn('pw-careful', ` ${codeNow(secret, 1)} `)).code).toBe(200);
  });

  it('counts wrong codes: the sixth is refused, and so is a right one after it, and none', async () => {
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
