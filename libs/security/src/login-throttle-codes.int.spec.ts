import { beforeEach, describe, expect, it } from 'vitest';
import { code, device, network, ThrottledLogins } from '../testing/throttled-logins.js';
import { CODE_FAILURES_BEFORE_LOCK } from './login-throttle.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let logins: ThrottledLogins;
beforeEach(() => (logins = new ThrottledLogins()));

describe('one-time codes', () => {
  it('that are wrong report their consecutive number, so that the hundredth can lock the code', async () => {
    for (let n = 1; n <= CODE_FAILURES_BEFORE_LOCK; n++) {
      logins.now += 15 * MINUTE;
      expect(await logins.counted(code(network(n)))).toMatchObject({ failures: n });
    }
  });

  it('from unknown sources are admitted 100 times in 30 days, however often the owner logs in, then once a day', async () => {
    let admitted = 0;
    for (let n = 0; n < 140; n++) {
      if (await logins.isAdmitted(code(network(n)))) admitted += 1;
      logins.now += 15 * MINUTE;
      if (n % 10 === 0) await logins.succeed(code(device));
    }
    expect(admitted).toBe(100);
    logins.now += DAY;
    expect(await logins.isAdmitted(code(network(200)))).toBe(true);
    expect(await logins.isAdmitted(code(network(201)))).toBe(false);
  });

  it('from known sources are admitted 30 times in 30 days, separately from unknown ones', async () => {
    const devices = Array.from({ length: 10 }, (_, n) => code({ device: `device ${n}` }));
    for (let n = 0; n < 200; n++) await logins.attemptOnce(code(network(n)));
    for (const each of devices) if ((await logins.failAsOftenAsPossible(each)) < 5) break;
    expect(await logins.isAdmitted(code({ device: 'another' }))).toBe(false);
    logins.now += DAY;
    expect(await logins.isAdmitted(code({ device: 'another' }))).toBe(true);
  });

  it.each([
    { kind: 'source', guesser: code() },
    { kind: 'device', guesser: code(device) },
  ])('from one known $kind use at most 14 of the 30, and the owner can use the rest', async ({ guesser }) => {
    await logins.succeed(code());
    const owner = code({ device: 'phone' });
    const start = logins.now;
    let admitted = 0;
    for (; logins.now < start + 30 * DAY; logins.now += HOUR) admitted += await logins.failAsOftenAsPossible(guesser);
    expect(admitted).toBe(14);
    expect(await logins.isAdmitted(owner)).toBe(true);
  });

  it('from one known device stay below 30 even across two of its periods', async () => {
    await logins.fail(1, code(device));
    logins.now += 29 * DAY;
    let admitted = 0;
    for (let hour = 0; hour < 30 * 24; hour++, logins.now += HOUR) {
      // The tenth attempt would block the device beyond the end of the period.
      if (hour >= 24 || admitted < 8) admitted += (await logins.isAdmitted(code(device))) ? 1 : 0;
    }
    expect(admitted).toBeGreaterThan(14);
    expect(admitted).toBeLessThan(30);
  });

  it('from one network use only a small share', async () => {
    let admitted = 0;
    for (let hour = 0; hour < 30 * 24; hour++) {
      admitted += await logins.failAsOftenAsPossible(code({ address: `192.0.2.${hour % 250}` }));
      logins.now += HOUR;
    }
    expect(admitted).toBeLessThan(30);
  });

  it('count only consecutively towards the lock', async () => {
    for (let n = 0; n < 19; n++) await logins.fail(1, code(network(n)));
    await logins.succeed(code(network(100)));
    expect(await logins.counted(code(network(101)))).toMatchObject({ failures: 1 });
  });
});
