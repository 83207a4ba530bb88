import { newRecoveryCodes, recoveryCodeHashes } from '@keyfold/security';
import { describe, expect, it } from 'vitest';
import { accountState, changeAccount } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn, LoginClient } from '../../testing/login-client.js';
import { DAY, MINUTE } from '../../testing/settable-clock.js';
import { sealingContext } from '../secrets/sealing.js';

/** Starts a service with account 7 and two-factor on, after the step of the code that enabled it. */
async function clientWithTwoFactor() {
  const { service, client } = await clientWithAnn();
  await client.enableTwoFactor(7);
  service.clock.advance(MINUTE);
  return { service, client };
}
/** Returns an address in a network of its own. */
const networkOf = (n: number) => `198.51.${n}.1`;
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Enters wrong codes, far enough apart that each is checked. */
async function giveWrongCodes(service: EmbeddedService, client: LoginClient, count: number) {
  for (const n of times(count)) {
    service.clock.advance(16 * MINUTE);
    expect(await client.outcome({ code: client.wrongCode(), address: networkOf(n) })).toBe(
      'one-time-code-invalid-at-login',
    );
  }
  service.clock.advance(16 * MINUTE);
}

const locksOf = async ({ store }: EmbeddedService) =>
  (await store.readStreams([{ stream: 'account-7', version: 0 }])).filter(({ events }) =>
    events.some(({ type }) => type === 'TwoFactorLocked'),
  );

describe('a login with two-factor on', () => {
  it('needs the password and a code, and the session records both', async () => {
    const { service, client } = await clientWithTwoFactor();
    const { jti } = service.tokens.read(await client.logIn({ code: client.code() }))!;
    const [commit] = await service.store.readStreams([{ stream: `session-${jti}`, version: 0 }]);
    expect(commit!.events).toMatchObject([{ data: { factors: ['password', 'one-time-code'] } }]);
  });

  it('does not check the code before the password is right', async () => {
    const { client } = await clientWithTwoFactor();
    expect(await client.outcome({ password: 'wrong', code: client.code() })).toBe('invalid-credentials');
    expect(await client.outcome({ code: client.code() })).toBe('token');
  });

  it('asks for a missing code without counting it, however often', async () => {
    const { client } = await clientWithTwoFactor();
    for (const _ of times(10)) expect(await client.outcome({ code: ' ' })).toBe('one-time-code-required');
    expect(await client.outcome({ code: client.code() })).toBe('token');
  });
});

describe('a code', () => {
  it('that is wrong or used is reported with its account, but a missing one is not', async () => {
    const { client } = await clientWithTwoFactor();
    const code = client.code();
    for (const each of ['', code, code, client.wrongCode()]) await client.outcome({ code: each });
    const reason = 'one-time-code-invalid-at-login';
    const expected = { name: 'authn_login_fail', account: 7, fields: { factor: 'one_time_code', reason } };
    expect(client.reported).toMatchObject([expected, expected]);
  });

  it('works once in concurrent logins from many sources', async () => {
    const { client } = await clientWithTwoFactor();
    const code = client.code();
    const outcomes = await Promise.all(times(10).map((n) => client.outcome({ code, address: networkOf(n) })));
    expect(outcomes.filter((outcome) => outcome === 'token')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'one-time-code-invalid-at-login')).toHaveLength(9);
  });

  it('that enabled two-factor cannot log in', async () => {
    const { service, client } = await clientWithAnn();
    await client.enableTwoFactor(7);
    expect(await client.outcome({ code: client.code() })).toBe('one-time-code-invalid-at-login');
    service.clock.advance(MINUTE);
    expect(await client.outcome({ code: client.code() })).toBe('token');
  });
});

describe('wrong codes', () => {
  it('are refused after five, the right one included, for five minutes', async () => {
    const { service, client } = await clientWithTwoFactor();
    for (const _ of times(5)) {
      expect(await client.outcome({ code: client.wrongCode() })).toBe('one-time-code-invalid-at-login');
    }
    expect(await client.outcome({ code: client.code() })).toBe('too-many-attempts');
    service.clock.advance(5 * MINUTE);
    expect(await client.outcome({ code: client.code() })).toBe('token');
  });

  it('are counted separately from wrong passwords', async () => {
    const { client } = await clientWithTwoFactor();
    for (const _ of times(4)) {
      expect(await client.outcome({ password: 'wrong' })).toBe('invalid-credentials');
      expect(await client.outcome({ code: client.wrongCode() })).toBe('one-time-code-invalid-at-login');
    }
    // A fifth wrong code blocks codes, but the password is still checked.
    await client.outcome({ code: client.wrongCode() });
    expect(await client.outcome({ code: client.code() })).toBe('too-many-attempts');
    expect(await client.outcome({ password: 'wrong' })).toBe('invalid-credentials');
  });

  it('also refuse a missing code while they block codes, without counting it', async () => {
    const { service, client } = await clientWithTwoFactor();
    for (const _ of times(4)) await client.outcome({ code: client.wrongCode() });
    for (const _ of times(5)) expect(await client.outcome({ code: '' })).toBe('one-time-code-required');
    await client.outcome({ code: client.wrongCode() });
    await expect(client.logIn({ code: '' })).rejects.toMatchObject({
      code: 'too-many-attempts',
      details: { retryAfterSeconds: 300 },
    });
    expect(await client.outcome({ code: '', address: '198.51.100.1' })).toBe('one-time-code-required');
    service.clock.advance(5 * MINUTE);
    expect(await client.outcome({ code: '' })).toBe('one-time-code-required');
    expect(await client.outcome({ code: client.code() })).toBe('token');
  });

  it('lock the code at the hundredth in a row, whatever their sources', async () => {
    const { service, client } = await clientWithTwoFactor();
    await giveWrongCodes(service, client, 99);
    expect(await locksOf(service)).toEqual([]);
    const elsewhere = { address: '2001:db8::1' };
    expect(await client.outcome({ code: client.wrongCode(), ...elsewhere })).toBe('one-time-code-invalid-at-login');
    expect(await locksOf(service)).toMatchObject([{ actor: 'login:7', events: [{ data: { failures: 100 } }] }]);
    service.clock.advance(16 * MINUTE);
    expect(await client.outcome({ code: client.code() })).toBe('one-time-code-locked');
    expect(await client.outcome({ code: '' })).toBe('one-time-code-locked');
    expect(await client.outcome({ password: 'wrong' })).toBe('invalid-credentials');
  });

  it('in a row are reset by a right one', async () => {
    const { service, client } = await clientWithTwoFactor();
    for (const _ of times(2)) {
      await giveWrongCodes(service, client, 60);
      expect(await client.outcome({ code: client.code() })).toBe('token');
      service.clock.advance(30 * DAY);
    }
    expect((await accountState(service, 7)).twoFactor?.locked).toBe(false);
  });
});

describe('a locked code', () => {
  it('does not lock out a source and a device that logged in before', async () => {
    const { service, client } = await clientWithTwoFactor();
    const { deviceToken: device } = await client.logInWithDevice({ code: client.code() });
    await giveWrongCodes(service, client, 100);
    expect(await client.outcome({ code: client.code(), address: '203.0.113.1' })).toBe('one-time-code-locked');
    expect(await client.outcome({ code: client.code(), address: '203.0.113.1', device })).toBe('token');
    service.clock.advance(MINUTE);
    expect(await client.outcome({ code: client.code() })).toBe('token');
  });

  it('locks out a device that logged in before two-factor was on, until it enters a right code', async () => {
    const { service, client } = await clientWithAnn();
    const { deviceToken: old } = await client.logInWithDevice();
    await client.enableTwoFactor(7);
    service.clock.advance(MINUTE);
    const { deviceToken: renewed } = await client.logInWithDevice({ code: client.code(), device: old });
    await giveWrongCodes(service, client, 100);

    const elsewhere = { address: '203.0.113.1' };
    expect(await client.outcome({ code: client.code(), ...elsewhere, device: old })).toBe('one-time-code-locked');
    expect(await client.outcome({ code: client.code(), ...elsewhere, device: renewed })).toBe('token');
  });

  it('locks out a device that entered a right code only for an earlier enrolment', async () => {
    const { service, client } = await clientWithTwoFactor();
    const { deviceToken: device } = await client.logInWithDevice({ code: client.code() });
    await changeAccount(service, 7, { type: 'DisableTwoFactor' });
    await client.enableTwoFactor(7, 2);
    await giveWrongCodes(service, client, 100);
    expect(await client.outcome({ code: client.code(), device })).toBe('one-time-code-locked');
  });

  it('is unlocked when two-factor is disabled, and a new enrolment starts without wrong codes', async () => {
    const { service, client } = await clientWithTwoFactor();
    await giveWrongCodes(service, client, 100);
    expect(await client.outcome({ code: client.code() })).toBe('one-time-code-locked');
    await changeAccount(service, 7, { type: 'DisableTwoFactor' });
    expect(await client.outcome()).toBe('token');

    await client.enableTwoFactor(7, 2);
    service.clock.advance(MINUTE);
    expect(await client.outcome({ code: client.wrongCode() })).toBe('one-time-code-invalid-at-login');
    expect(await client.outcome({ code: client.code() })).toBe('token');
  });
});

/** Gives account 7 two-factor and recovery codes. */
async function withCodes(service = new EmbeddedService()) {
  const { client } = await clientWithAnn(service);
  await client.enableTwoFactor(7);
  return { service, client, codes: await generate(service) };
}

async function generate(service: EmbeddedService): Promise<string[]> {
  const codes = newRecoveryCodes();
  const sealedCodes = service.sealer.seal(recoveryCodeHashes(codes), sealingContext.recoveryCodes(7));
  await changeAccount(service, 7, { type: 'GenerateRecoveryCodes', sealedCodes, count: codes.length });
  return codes;
}

const twoFactorOf = async (service: EmbeddedService) => (await accountState(service, 7)).twoFactor!;

describe('a recovery code', () => {
  it('is accepted instead of a one-time code, once', async () => {
    const { service, client, codes } = await withCodes();
    expect(await client.outcome({ code: codes[0]! })).toBe('token');
    expect(await client.outcome({ code: codes[0]! })).toBe('one-time-code-invalid-at-login');
    expect(await client.outcome({ code: codes[1]!.toLowerCase().replaceAll('-', ' ') })).toBe('token');
    expect((await twoFactorOf(service)).recoveryCodes?.unused).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(client.attempts).toMatchObject({ 'one_time_code accepted': 2, 'one_time_code refused': 1 });
  });

  it('works once in 100 parallel logins through two gateways', async () => {
    const folder = new EmbeddedFolder();
    const { service, client, codes } = await withCodes(new EmbeddedService(folder));
    const clients = [client, new LoginClient(new EmbeddedService(folder))];
    const outcomes = await Promise.all(
      times(100).map((n) => clients[n % 2]!.outcome({ code: codes[0]!, address: `198.51.${n}.1` })),
    );
    expect(outcomes.filter((outcome) => outcome === 'token')).toHaveLength(1);
    const others = new Set(outcomes.filter((outcome) => outcome !== 'token'));
    expect([...others].toSorted()).toEqual(
      ['one-time-code-invalid-at-login', 'too-many-attempts'].filter((code) => others.has(code)),
    );
    expect(others).toContain('one-time-code-invalid-at-login');
    expect((await twoFactorOf(service)).recoveryCodes?.unused).toHaveLength(9);
  });

  it('that was replaced or never existed is refused, and counts like a one-time code', async () => {
    const { service, client, codes } = await withCodes();
    await generate(service);
    expect(await client.outcome({ code: codes[0]! })).toBe('one-time-code-invalid-at-login');
    for (const code of newRecoveryCodes().slice(0, 4))
      expect(await client.outcome({ code })).toBe('one-time-code-invalid-at-login');
    expect(await client.outcome({ code: client.code() })).toBe('too-many-attempts');
  });

  it('is useless without the password', async () => {
    const { service, client, codes } = await withCodes();
    expect(await client.outcome({ password: 'wrong', code: codes[0]! })).toBe('invalid-credentials');
    expect((await twoFactorOf(service)).recoveryCodes?.unused).toHaveLength(10);
  });

  it('lifts the lock of one-time codes', async () => {
    const { service, client, codes } = await withCodes();
    await changeAccount(service, 7, { type: 'LockTwoFactor', failures: 100 });
    const address = '203.0.113.9';
    expect(await client.outcome({ code: client.code(), address })).toBe('one-time-code-locked');
    expect(await client.outcome({ code: codes[0]!, address })).toBe('token');
    expect((await twoFactorOf(service)).locked).toBe(false);
    service.clock.advance(MINUTE);
    expect(await client.outcome({ code: client.code(), address: '203.0.113.10' })).toBe('token');
  });

  it('of an account without any is a wrong code', async () => {
    const { client } = await clientWithAnn();
    await client.enableTwoFactor(7);
    expect(await client.outcome({ code: newRecoveryCodes()[0]! })).toBe('one-time-code-invalid-at-login');
  });
});
