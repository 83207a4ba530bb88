import { describe, expect, it } from 'vitest';
import { adminOf, createAccount, newAddress, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { codeNow, enrol } from '../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const disable = (member: ApiClient, proof: object) => member.post('/api/auth/2fa/disable', proof);
const generate = (member: ApiClient, proof: object) => member.post('/api/auth/2fa/recovery_codes', proof);
const codesFor = async (member: ApiClient, proof: object) =>
  (await generate(member, proof)).data<{ recovery_codes: string[] }>().recovery_codes;
const profileOf = async (member: ApiClient) => (await member.get('/api/me')).data<Record<string, unknown>>();

/** Creates an account with two-factor; `secret` is that of its codes. */
async function careful(name: string) {
  const member = (await newMember(admin, name)).from(newAddress());
  return { member, secret: await enrol(member), password: `pw-${name}` };
}

describe('turning two-factor off', () => {
  it('takes the password', async () => {
    const { member, password } = await careful('by-password');
    expect((await disable(member, { password })).outcome).toBe('200 success');
    expect(await profileOf(member)).toMatchObject({ otp: false });
    expect((await api.from(newAddress()).logIn('by-password', password)).code).toBe(200);
    expect((await disable(member, {})).outcome).toBe('200 success');
  });

  it('or a current code, which is then used up', async () => {
    const { member, secret } = await careful('by-code');
    const code = codeNow(secret, 1);
    expect((await disable(member, { otp_code: codeNow(secret) })).outcome).toBe('400 Invalid 2FA code');
    expect((await disable(member, { otp_code: code })).outcome).toBe('200 success');
    expect(await profileOf(member)).toMatchObject({ otp: false });
  });

  it('is refused without either, and with a wrong one', async () => {
    const { member } = await careful('unproved');
    expect((await disable(member, {})).outcome).toBe('400 send the password or a 2FA code');
    expect((await disable(member, { password: 'wrong' })).outcome).toBe('400 the password is wrong');
    expect((await disable(member, { otp_code: '000000' })).outcome).toBe('400 Invalid 2FA code');
    expect(await profileOf(member)).toMatchObject({ otp: true });
  });

  it('counts wrong passwords like logins do', async () => {
    const { member, password } = await careful('guessed');
    for (let n = 0; n < 5; n++) expect((await disable(member, { password: `wrong ${n}` })).code).toBe(400);
    const throttled = await disable(member, { password });
    expect(throttled.code).toBe(429);
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('is closed to a session that has been evicted', async () => {
    const { member, password, secret } = await careful('evicted-owner');
    const other = await api.from(newAddress()).signedIn('evicted-owner', password, codeNow(secret, 1));
    await member.post('/api/me/sessions/evict', { others: true });
    expect((await disable(other, { password })).outcome).toBe('401 token is invalidated');
  });
});

describe('recovery codes', () => {
  it('log in once each, in any spelling, and the profile counts them', async () => {
    const { member, password } = await careful('prepared');
    expect(Object.keys(await profileOf(member)).at(-1)).toBe('otp');
    const codes = await codesFor(member, { password });
    expect(codes).toHaveLength(10);
    expect(await profileOf(member)).toMatchObject({ recovery_codes_left: 10 });
    const logIn = (code: string) => api.from(newAddress()).logIn('prepared', password, code);
    for (const [index, code] of codes.slice(0, 7).entries()) {
      expect((await logIn(index % 2 ? code.toLowerCase() : code.replaceAll('-', ''))).code).toBe(200);
      const { recovery_codes_left: left, recovery_codes_low: low } = await profileOf(member);
      expect([left, low]).toEqual([9 - index, 9 - index <= 3 ? true : undefined]);
    }
    expect((await logIn(codes[0]!)).outcome).toBe('402 Invalid 2FA code');
    await app.kill();
    await app.restart();
    expect((await logIn(codes[0]!)).outcome).toBe('402 Invalid 2FA code');
    expect((await logIn(codes[7]!)).code).toBe(200);
  });

  it('work once in 100 parallel logins', async () => {
    const { member, password } = await careful('raced');
    const [code] = await codesFor(member, { password });
    const logins = Array.from({ length: 100 }, () => api.from(newAddress()).logIn('raced', password, code));
    const answers = await Promise.all(logins);
    expect(answers.filter((answer) => answer.code === 200)).toHaveLength(1);
    expect(await profileOf(member)).toMatchObject({ recovery_codes_left: 9 });
  });

  it('are replaced by new ones, and dropped with two-factor', async () => {
    const { member, password } = await careful('renewing');
    const [old] = await codesFor(member, { password });
    const [current] = await codesFor(member, { password });
    const logIn = async (code: string | undefined) =>
      (await api.from(newAddress()).logIn('renewing', password, code)).code;
    expect(await logIn(old)).toBe(402);
    expect((await disable(member, { password })).code).toBe(200);
    await enrol(member);
    expect(await logIn(current)).toBe(402);
    expect(await profileOf(member)).not.toHaveProperty('recovery_codes_left');
  });

  it('end when an administrator turns two-factor off', async () => {
    const { id } = await createAccount(admin, 'helped');
    const member = await signedInAs(api, 'helped');
    await enrol(member);
    const [code] = await codesFor(member, { password: 'pw-helped' });
    await admin.post(`/api/admin/user/cancel_2fa?id=${id}`);
    await enrol(member);
    expect((await api.from(newAddress()).logIn('helped', 'pw-helped', code)).code).toBe(402);
  });

  it('take a proof, and two-factor', async () => {
    const { member } = await careful('asked');
    expect((await generate(member, {})).outcome).toBe('400 send the password or a 2FA code');
    expect((await generate(member, { password: 'wrong' })).outcome).toBe('400 the password is wrong');
    const plain = await newMember(admin, 'plain');
    expect((await generate(plain, { password: 'pw-plain' })).outcome).toBe('400 two-factor login is off');
  });

  it('are named as a factor of their session', async () => {
    const { member, password } = await careful('named');
    const [code] = await codesFor(member, { password });
    const recovered = await api.from(newAddress()).signedIn('named', password, code);
    const sessions = (await recovered.get('/api/me/sessions')).data<{ current: boolean; factors: string[] }[]>();
    expect(sessions.find(({ current }) => current)?.factors).toEqual(['password', 'recovery-code']);
  });

  it('are not available to the guest', async () => {
    expect((await api.post('/api/auth/2fa/recovery_codes', {})).code).toBe(401);
    expect((await api.post('/api/auth/2fa/disable', {})).code).toBe(401);
  });
});

describe('a refused code', () => {
  const timeIn = (answer: Answer) => (answer.json as { server_time?: number }).server_time;

  it("is answered with the server's time, whether it is wrong, old or missing", async () => {
    const { member, secret, password } = await careful('late');
    const before = Math.floor(Date.now() / 1000);
    const logIn = (code: string) => api.from(newAddress()).logIn('late', password, code);
    const refused = [
      await logIn(codeNow(secret, -5)),
      await logIn('000000'),
      await logIn(''),
      await logIn('AAAA-BBBB-CCCC-DDDD'),
      await disable(member, { otp_code: '000000' }),
      await member.post('/api/auth/2fa/verify', { code: '000000', secret }),
    ];
    for (const answer of refused) {
      expect(answer.outcome).toMatch(/^40[02] Invalid 2FA code$/);
      expect(timeIn(answer)).toBeGreaterThanOrEqual(before);
      expect(timeIn(answer)).toBeLessThanOrEqual(Date.now() / 1000);
    }
    // The same bytes for an old and for a wrong code: no hint that it was right at another time.
    const [old, wrong] = refused.map(({ text }) => text.replace(/\d+\}$/, ''));
    expect(old).toBe(wrong);
    expect(timeIn(await api.from(newAddress()).logIn('late', 'wrong', ''))).toBeUndefined();
  });
});
