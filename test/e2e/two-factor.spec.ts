import { describe, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
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

  it('accepts only the latest secret with a correct code', async () => {
    const member = await newMember(admin, 'careless');
    const verify = async (secret: string, code: string) =>
      (await member.post('/api/auth/2fa/verify', { code, secret })).outcome;
    const own = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
    expect(await verify(own, codeNow(own))).toBe('400 Invalid 2FA code');
    const first = await generate(member);
    const last = await generate(member);
    expect(await verify(first.secret, codeNow(first.secret))).toBe('400 Invalid 2FA code');
    expect(await verify(last.secret, codeNow(last.secret, 9))).toBe('400 Invalid 2FA code');
    expect(await hasTwoFactor(member)).toBe(false);
    expect(await verify(last.secret, codeNow(last.secret))).toBe('200 success');
  });

  it('replaces the previous secret', async () => {
    const member = await newMember(admin, 'renewer');
    const first = await enrol(member);
    const second = await enrol(member);
    expect((await api.logIn('renewer', 'pw-renewer', codeNow(first, 1))).outcome).toBe('402 Invalid 2FA code');
    expect((await api.logIn('renewer', 'pw-renewer', codeNow(second, 1))).code).toBe(200);
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

  it('is not available to the guest', async () => {
    const guest = await accountNamed(admin, 'guest');
    (await admin.post('/api/admin/user/update', { ...guest, disabled: false })).data();
    expect((await api.post('/api/auth/2fa/generate')).outcome).toBe('403 Guest user can not generate 2FA code');
    const proof = { code: '123456', secret: 'A' };
    expect((await api.post('/api/auth/2fa/verify', proof)).outcome).toBe('403 Guest user can not generate 2FA code');
    (await admin.post('/api/admin/user/update', guest)).data();
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
