import { describe, expect, it } from 'vitest';
import { adminOf, createAccount, newAddress, newMember, signedInAs } from '../support/accounts.js';
import { type Answer, ApiClient } from '../support/api-client.js';
import { readQrPicture } from '../support/qr.js';
import { sharedApp } from '../support/shared-app.js';
import { codeNow, enrol } from '../support/two-factor.js';

interface Enrolment {
  qr: string;
  secret: string;
}

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const generate = async (member: ApiClient) => (await member.post('/api/auth/2fa/generate')).data<Enrolment>();
const hasTwoFactor = async (member: ApiClient) => (await member.get('/api/me')).data<{ otp: boolean }>().otp;

describe('enrolment', () => {
  it('gives a secret that the QR code contains, and accepts its codes', async () => {
    const member = await newMember(admin, 'ann & bob');
    const { qr, secret } = await generate(member);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(readQrPicture(qr)).toEqual({
      width: 400,
      height: 400,
      text: `otpauth://totp/OpenList:ann%20%26%20bob?algorithm=SHA1&digits=6&issuer=OpenList&period=30&secret=${secret}`,
    });
    expect((await member.post('/api/auth/2fa/verify', { code: codeNow(secret, -1), secret })).outcome).toBe(
      '200 success',
    );
    expect(await hasTwoFactor(member)).toBe(true);
    expect((await api.logIn('ann & bob', 'pw-ann & bob')).outcome).toBe('402 Invalid 2FA code');
    expect((await api.logIn('ann & bob', 'pw-ann & bob', codeNow(secret))).code).toBe(200);
  });

  it('can be started at most 10 times an hour', async () => {
    const member = await newMember(admin, 'collector');
    const codes: number[] = [];
    for (let round = 0; round < 10; round++) codes.push((await member.post('/api/auth/2fa/generate')).code);
    expect(new Set(codes)).toEqual(new Set([200]));
    const refused = await member.post('/api/auth/2fa/generate');
    expect([refused.status, refused.code]).toEqual([200, 429]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
  });
});

describe('an administrator', () => {
  it('disables it, after which the password suffices', async () => {
    const { id } = await createAccount(admin, 'locked-out');
    const member = await signedInAs(api, 'locked-out');
    await enrol(member);
    expect((await admin.post(`/api/admin/user/cancel_2fa?id=${id}`)).outcome).toBe('200 success');
    expect(await hasTwoFactor(member)).toBe(false);
    expect((await api.logIn('locked-out', 'pw-locked-out')).code).toBe(200);
  });
});

const disable = (member: ApiClient, proof: object) => member.post('/api/auth/2fa/disable', proof);
const generateCodes = (member: ApiClient, proof: object) => member.post('/api/auth/2fa/recovery_codes', proof);
const codesFor = async (member: ApiClient, proof: object) =>
  (await generateCodes(member, proof)).data<{ recovery_codes: string[] }>().recovery_codes;
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

  it('take a proof, and two-factor', async () => {
    const { member } = await careful('asked');
    expect((await generateCodes(member, {})).outcome).toBe('400 send the password or a 2FA code');
    expect((await generateCodes(member, { password: 'wrong' })).outcome).toBe('400 the password is wrong');
    const plain = await newMember(admin, 'plain');
    expect((await generateCodes(plain, { password: 'pw-plain' })).outcome).toBe('400 two-factor login is off');
  });

  it('are named as a factor of their session', async () => {
    const { member, password } = await careful('named');
    const [code] = await codesFor(member, { password });
    const recovered = await api.from(newAddress()).signedIn('named', password, code);
    const sessions = (await recovered.get('/api/me/sessions')).data<{ current: boolean; factors: string[] }[]>();
    expect(sessions.find(({ current }) => current)?.factors).toEqual(['password', 'recovery-code']);
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

it('a login with two-factor accepts a code once, even if the process crashes in between', async () => {
  const secret = await enrol(await newMember(admin, 'restarted'));
  const code = codeNow(secret, 1);
  const logIn = () => api.from(newAddress()).logIn('restarted', 'pw-restarted', code);
  expect((await logIn()).code).toBe(200);
  await app.kill();
  await app.restart();
  expect((await logIn()).outcome).toBe('402 Invalid 2FA code');
});
