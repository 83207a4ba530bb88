import { describe, expect, it } from 'vitest';
import { accountState, changeAccount, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { LoginDesk } from '../../testing/login-desk.js';
import { DAY, MINUTE } from '../../testing/settable-clock.js';

/** Account 7 with two-factor on; the step of the code that turned it on is over. */
async function deskWithTwoFactor() {
  const service = new EmbeddedService();
  await registerAccount(service, 7, 'ann');
  const desk = new LoginDesk(service);
  await desk.enableTwoFactor(7);
  service.clock.advance(MINUTE);
  return { service, desk };
}
/** An address in a network of its own. */
const networkOf = (n: number) => `198.51.${n}.1`;
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Wrong codes so far apart that none is refused unchecked. */
async function giveWrongCodes(service: EmbeddedService, desk: LoginDesk, count: number) {
  for (const n of times(count)) {
    service.clock.advance(16 * MINUTE);
    expect(await desk.outcome({ code: desk.wrongCode(), address: networkOf(n) })).toBe(
      'one-time-code-invalid-at-login',
    );
  }
  service.clock.advance(16 * MINUTE);
}

const lockEvents = async ({ store }: EmbeddedService) =>
  (await store.readStreams([{ stream: 'account-7', version: 0 }]))
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'TwoFactorLocked');

describe('a login with two-factor on', () => {
  it('needs the password and a code, and the session says so', async () => {
    const { service, desk } = await deskWithTwoFactor();
    const { jti } = service.tokens.read(await desk.logIn({ code: desk.code() }))!;
    const [commit] = await service.store.readStreams([{ stream: `session-${jti}`, version: 0 }]);
    expect(commit!.events).toMatchObject([{ data: { factors: ['password', 'one-time-code'] } }]);
  });

  it('does not look at the code before the password was right', async () => {
    const { desk } = await deskWithTwoFactor();
    expect(await desk.outcome({ password: 'wrong', code: desk.code() })).toBe('invalid-credentials');
    expect(await desk.outcome({ code: desk.code() })).toBe('token');
  });

  it('asks for a missing code as often as need be, and does not count it', async () => {
    const { desk } = await deskWithTwoFactor();
    for (const _ of times(10)) expect(await desk.outcome({ code: ' ' })).toBe('one-time-code-required');
    expect(await desk.outcome({ code: desk.code() })).toBe('token');
  });
});

describe('a code', () => {
  it('that is wrong or used is reported with its account, a missing one is not', async () => {
    const { desk } = await deskWithTwoFactor();
    const code = desk.code();
    for (const each of ['', code, code, desk.wrongCode()]) await desk.outcome({ code: each });
    const reason = 'one-time-code-invalid-at-login';
    const expected = { name: 'authn_login_fail', account: 7, fields: { factor: 'one_time_code', reason } };
    expect(desk.reported).toMatchObject([expected, expected]);
  });

  it('works once', async () => {
    const { desk } = await deskWithTwoFactor();
    const code = desk.code();
    expect(await desk.outcome({ code })).toBe('token');
    expect(await desk.outcome({ code })).toBe('one-time-code-invalid-at-login');
  });

  it('works once under parallel tries from many sources', async () => {
    const { desk } = await deskWithTwoFactor();
    const code = desk.code();
    const outcomes = await Promise.all(times(10).map((n) => desk.outcome({ code, address: networkOf(n) })));
    expect(outcomes.filter((outcome) => outcome === 'token')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'one-time-code-invalid-at-login')).toHaveLength(9);
  });

  it('that turned two-factor on cannot log in', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann');
    const desk = new LoginDesk(service);
    await desk.enableTwoFactor(7);
    expect(await desk.outcome({ code: desk.code() })).toBe('one-time-code-invalid-at-login');
    service.clock.advance(MINUTE);
    expect(await desk.outcome({ code: desk.code() })).toBe('token');
  });
});

describe('wrong codes', () => {
  it('are refused after five, the right one included, for five minutes', async () => {
    const { service, desk } = await deskWithTwoFactor();
    for (const _ of times(5)) {
      expect(await desk.outcome({ code: desk.wrongCode() })).toBe('one-time-code-invalid-at-login');
    }
    expect(await desk.outcome({ code: desk.code() })).toBe('too-many-attempts');
    service.clock.advance(5 * MINUTE);
    expect(await desk.outcome({ code: desk.code() })).toBe('token');
  });

  it('are counted apart from wrong passwords', async () => {
    const { desk } = await deskWithTwoFactor();
    for (const _ of times(4)) {
      expect(await desk.outcome({ password: 'wrong' })).toBe('invalid-credentials');
      expect(await desk.outcome({ code: desk.wrongCode() })).toBe('one-time-code-invalid-at-login');
    }
    // A fifth wrong code blocks codes, and the password is still looked at.
    await desk.outcome({ code: desk.wrongCode() });
    expect(await desk.outcome({ code: desk.code() })).toBe('too-many-attempts');
    expect(await desk.outcome({ password: 'wrong' })).toBe('invalid-credentials');
  });

  it('refuse a missing code as well while they block, which counts as little as ever', async () => {
    const { service, desk } = await deskWithTwoFactor();
    for (const _ of times(4)) await desk.outcome({ code: desk.wrongCode() });
    for (const _ of times(5)) expect(await desk.outcome({ code: '' })).toBe('one-time-code-required');
    await desk.outcome({ code: desk.wrongCode() });
    await expect(desk.logIn({ code: '' })).rejects.toMatchObject({ code: 'too-many-attempts', retryAfterSeconds: 300 });
    expect(await desk.outcome({ code: '', address: '198.51.100.1' })).toBe('one-time-code-required');
    service.clock.advance(5 * MINUTE);
    expect(await desk.outcome({ code: '' })).toBe('one-time-code-required');
    expect(await desk.outcome({ code: desk.code() })).toBe('token');
  });

  it('lock the code at the hundredth in a row, from wherever they come', async () => {
    const { service, desk } = await deskWithTwoFactor();
    await giveWrongCodes(service, desk, 99);
    expect(await lockEvents(service)).toEqual([]);
    const elsewhere = { address: '2001:db8::1' };
    expect(await desk.outcome({ code: desk.wrongCode(), ...elsewhere })).toBe('one-time-code-invalid-at-login');
    expect(await lockEvents(service)).toMatchObject([{ data: { failures: 100 } }]);
    service.clock.advance(16 * MINUTE);
    expect(await desk.outcome({ code: desk.code() })).toBe('one-time-code-locked');
    expect(await desk.outcome({ code: '' })).toBe('one-time-code-locked');
    expect(await desk.outcome({ password: 'wrong' })).toBe('invalid-credentials');
  });

  it('in a row start anew after a right one', async () => {
    const { service, desk } = await deskWithTwoFactor();
    for (const _ of times(2)) {
      await giveWrongCodes(service, desk, 60);
      expect(await desk.outcome({ code: desk.code() })).toBe('token');
      service.clock.advance(30 * DAY);
    }
    expect((await accountState(service, 7)).twoFactor?.locked).toBe(false);
  });
});

describe('a locked code', () => {
  it('does not keep out a source and a device that logged in before', async () => {
    const { service, desk } = await deskWithTwoFactor();
    const { deviceToken: device } = await desk.enter({ code: desk.code() });
    await giveWrongCodes(service, desk, 100);
    expect(await desk.outcome({ code: desk.code(), address: '203.0.113.1' })).toBe('one-time-code-locked');
    expect(await desk.outcome({ code: desk.code(), address: '203.0.113.1', device })).toBe('token');
    service.clock.advance(MINUTE);
    expect(await desk.outcome({ code: desk.code() })).toBe('token');
  });

  it('keeps out a device that logged in before two-factor was on, until it passes a code', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann');
    const desk = new LoginDesk(service);
    const { deviceToken: old } = await desk.enter();
    await desk.enableTwoFactor(7);
    service.clock.advance(MINUTE);
    const { deviceToken: renewed } = await desk.enter({ code: desk.code(), device: old });
    await giveWrongCodes(service, desk, 100);

    const elsewhere = { address: '203.0.113.1' };
    expect(await desk.outcome({ code: desk.code(), ...elsewhere, device: old })).toBe('one-time-code-locked');
    expect(await desk.outcome({ code: desk.code(), ...elsewhere, device: renewed })).toBe('token');
  });

  it('keeps out a device that passed a code of an earlier enrolment only', async () => {
    const { service, desk } = await deskWithTwoFactor();
    const { deviceToken: device } = await desk.enter({ code: desk.code() });
    await changeAccount(service, 7, { type: 'DisableTwoFactor' });
    await desk.enableTwoFactor(7, 2);
    await giveWrongCodes(service, desk, 100);
    expect(await desk.outcome({ code: desk.code(), device })).toBe('one-time-code-locked');
  });

  it('is lifted when two-factor is turned off, and a new enrolment starts with no wrong codes', async () => {
    const { service, desk } = await deskWithTwoFactor();
    await giveWrongCodes(service, desk, 100);
    expect(await desk.outcome({ code: desk.code() })).toBe('one-time-code-locked');
    await changeAccount(service, 7, { type: 'DisableTwoFactor' });
    expect(await desk.outcome()).toBe('token');

    await desk.enableTwoFactor(7, 2);
    service.clock.advance(MINUTE);
    expect(await desk.outcome({ code: desk.wrongCode() })).toBe('one-time-code-invalid-at-login');
    expect(await desk.outcome({ code: desk.code() })).toBe('token');
  });
});
