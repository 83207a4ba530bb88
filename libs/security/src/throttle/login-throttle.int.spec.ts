import { beforeEach, describe, expect, it } from 'vitest';
import { code, device, login, network, ThrottledLogins } from '../../testing/throttled-logins.js';
import { CODE_FAILURES_BEFORE_LOCK } from './login-throttle.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let logins: ThrottledLogins;
beforeEach(() => (logins = new ThrottledLogins()));

describe('one source and one account', () => {
  it('have five attempts, then one after 5 minutes, 10 minutes and so on up to an hour, even if the source is known', async () => {
    await logins.succeed();
    await logins.fail(5);
    const attempts = Array.from({ length: 6 }, () => login());
    expect(await logins.waitsOf(attempts)).toEqual([300, 600, 1_200, 2_400, 3_600, 3_600]);
  });

  it('do not wait longer for attempts while blocked', async () => {
    await logins.fail(5);
    for (let second = 0; second < 299; second++) {
      logins.now += SECOND;
      expect(await logins.attemptOnce()).toBe(299 - second);
    }
    logins.now += SECOND;
    expect(await logins.isAdmitted()).toBe(true);
  });

  it('have five attempts again after a success', async () => {
    for (let round = 0; round < 3; round++) {
      await logins.fail(4);
      await logins.succeed();
    }
    await logins.fail(5);
    expect(await logins.attemptOnce()).toBe(300);
  });

  it('are independent of other accounts and factors', async () => {
    await logins.fail(5);
    for (const other of [login({ account: 'bea' }), code()]) expect(await logins.isAdmitted(other)).toBe(true);
  });

  it('have five attempts from a whole IPv6 /64', async () => {
    await logins.succeed(login({ address: '2001:db8:1:2::9' }));
    for (const host of ['1', '2', 'a:b:c', 'ffff', '5'])
      await logins.fail(1, login({ address: `2001:db8:1:2::${host}` }));
    expect(await logins.attemptOnce(login({ address: '2001:db8:1:2::6' }))).toBe(300);
    expect(await logins.isAdmitted(login({ address: '2001:db8:1:3::6' }))).toBe(true);
  });

  it('have five attempts if the address is IPv4-mapped, and if there is none', async () => {
    await logins.fail(3);
    await logins.fail(2, login({ address: '::ffff:192.0.2.7' }));
    expect(await logins.attemptOnce()).toBe(300);
    await logins.fail(5, login({ address: '' }));
    expect(await logins.attemptOnce(login({ address: 'not an address' }))).toBe(300);
  });

  it('have exactly five attempts if many are concurrent', async () => {
    const admissions = await Promise.all(Array.from({ length: 50 }, () => logins.attemptOnce()));
    expect(admissions.filter((answer) => typeof answer !== 'number')).toHaveLength(5);
  });
});

describe('an attempt that could not be checked', () => {
  it('is refunded', async () => {
    await logins.fail(4);
    for (let n = 0; n < 10; n++) await logins.throttle.refund(await logins.counted());
    await logins.fail(1);
    expect(await logins.attemptOnce()).toBe(300);
  });
});

describe('an attempt that meets a full hash queue', () => {
  it('does not count as a guess, but a source has only 50 of them in 5 minutes', async () => {
    for (let n = 0; n < 50; n++) await logins.throttle.refundGuess(await logins.counted());
    expect(await logins.attemptOnce()).toBe(300);
    expect(await logins.isAdmitted(login({ address: '192.0.2.8' }))).toBe(true);
    logins.now += 5 * MINUTE;
    await logins.fail(5);
    expect(await logins.attemptOnce()).toBe(300);
  });

  it('counts towards the 1,000 of its network in a day', async () => {
    for (let n = 0; n < 1_000; n++) {
      const attempt = login({ account: `account ${n}`, address: `192.0.2.${n % 250}` });
      await logins.throttle.refundGuess(await logins.counted(attempt));
    }
    expect(await logins.isAdmitted(login({ address: '192.0.2.251' }))).toBe(false);
  });
});

describe('one source and all accounts', () => {
  it('have 50 attempts in 5 minutes, from the first one on, for both factors together', async () => {
    for (let n = 0; n < 25; n++) {
      await logins.fail(1, login({ account: `account ${n}` }));
      await logins.fail(1, code({ account: `account ${n}` }));
      logins.now += SECOND;
    }
    expect(await logins.attemptOnce(login({ account: 'another' }))).toBe(299);
    expect(await logins.isAdmitted(login({ account: 'another', address: '192.0.2.8' }))).toBe(true);
    logins.now += 299 * SECOND;
    expect(await logins.isAdmitted(login({ account: 'another' }))).toBe(true);
  });

  it('do not count successful logins', async () => {
    for (let n = 0; n < 60; n++) await logins.succeed(login({ account: `account ${n}` }));
  });
});

describe('one source and unknown app passwords', () => {
  const { address } = login();

  it('have 500 in 5 minutes, from the first one on, which limit no login', async () => {
    for (let n = 0; n < 500; n++) {
      expect(await logins.throttle.secondsUntilLookUp(address)).toBe(0);
      expect(await logins.throttle.countUnknownAppPassword(address)).toBe(0);
      logins.now += SECOND / 2;
    }
    expect(await logins.throttle.secondsUntilLookUp(address)).toBe(300);
    expect(await logins.throttle.countUnknownAppPassword(address)).toBe(300);
    expect(await logins.throttle.secondsUntilLookUp('192.0.2.8')).toBe(0);
    expect(await logins.isAdmitted()).toBe(true);
    logins.now += 5 * MINUTE;
    expect(await logins.throttle.secondsUntilLookUp(address)).toBe(0);
  });

  it('do not include passwords in this form, and a check counts nothing', async () => {
    for (let n = 0; n < 600; n++) {
      await logins.throttle.countUnknownAppPassword(address);
      await logins.throttle.refundUnknownAppPassword(address);
      await logins.throttle.secondsUntilLookUp(address);
    }
    expect(await logins.throttle.secondsUntilLookUp(address)).toBe(0);
  });

  it('have their limit for themselves, without wrong passwords and codes', async () => {
    for (let n = 0; n < 25; n++) {
      await logins.fail(1, login({ account: `account ${n}` }));
      await logins.fail(1, code({ account: `account ${n}` }));
    }
    expect(await logins.isAdmitted()).toBe(false);
    expect(await logins.throttle.secondsUntilLookUp(address)).toBe(0);
  });
});

describe('one network and all accounts', () => {
  it('have 1,000 attempts a day, which do not limit known sources and devices', async () => {
    await logins.succeed();
    for (let n = 0; n < 1_000; n++)
      await logins.fail(1, login({ account: `account ${n}`, address: `192.0.2.${n % 250}` }));
    expect(await logins.isAdmitted(login({ account: 'another', address: '192.0.2.251' }))).toBe(false);
    expect(await logins.isAdmitted(login({ account: 'another', address: '192.0.3.1' }))).toBe(true);
    expect(await logins.isAdmitted()).toBe(true);
    expect(await logins.isAdmitted(login({ account: 'bea', ...device }))).toBe(true);
  });
});

describe.each(['IPv4', 'IPv6'])('one network of %s and one account', (kind) => {
  /** Returns another source of the network for each number. */
  const within = (n: number) => ({ address: kind === 'IPv4' ? `192.0.2.${n}` : `2001:db8:1:${n}::1` });

  it('have 15 attempts from all sources together, then wait longer after each failure', async () => {
    for (let n = 0; n < 15; n++) await logins.fail(1, login(within(n)));
    const attempts = [15, 16, 17, 18].map((n) => login(within(n)));
    expect(await logins.waitsOf(attempts)).toEqual([300, 600, 1_200, 2_400]);
  });

  it('do not block other networks, known sources or devices', async () => {
    await logins.succeed(login(within(100)));
    for (let n = 0; n < 15; n++) await logins.fail(1, login(within(n)));
    expect(await logins.isAdmitted(login(within(50)))).toBe(false);
    expect(await logins.isAdmitted(login(within(100)))).toBe(true);
    expect(await logins.isAdmitted(login({ ...within(50), ...device }))).toBe(true);
    expect(await logins.isAdmitted(login(network(1)))).toBe(true);
  });
});

describe('one account and all unknown sources', () => {
  it('have two attempts for each new network, whatever the others do', async () => {
    for (let n = 0; n < 200; n++) await logins.failAsOftenAsPossible(login(network(n)));
    await logins.fail(2, login(network(200)));
    expect(await logins.isAdmitted(login(network(200)))).toBe(false);
  });

  it('have one first attempt every 10 minutes after 3,000', async () => {
    for (let n = 0; n < 3_000; n++) await logins.fail(1, login(network(n)));
    // New networks now share the limit of those that have tried before.
    let last = 3_000;
    while (await logins.isAdmitted(login(network(last)))) last += 1;
    expect(last).toBeLessThan(3_030);
    logins.now += 10 * MINUTE;
    expect(await logins.isAdmitted(login(network(4_000)))).toBe(true);
  });

  it('wait longer after each later password from the twentieth on, up to 15 minutes', async () => {
    for (let n = 0; n < 40; n++) await logins.fail(2, login(network(n)));
    for (let n = 0; n < 20; n++) await logins.fail(1, login(network(n)));
    const attempts = Array.from({ length: 13 }, (_, n) => login(network(20 + n)));
    const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900];
    expect(await logins.waitsOf(attempts)).toEqual(waits);
  });

  it('do not include a source that passed the same factor of the account within 30 days', async () => {
    await logins.succeed();
    expect((await logins.counted()).isKnown).toBe(true);
    expect((await logins.counted(login({ account: 'bea' }))).isKnown).toBe(false);
    expect((await logins.counted(code())).isKnown).toBe(false);
    logins.now += 30 * DAY;
    expect((await logins.counted()).isKnown).toBe(false);
  });

  it('keep their failures when the owner logs in', async () => {
    for (let n = 0; n < 19; n++) await logins.fail(3, login(network(n)));
    await logins.succeed(login(network(100)));
    await logins.fail(3, login(network(19)));
    expect(await logins.isAdmitted(login(network(0)))).toBe(false);
  });
});

describe('one account and a device of its owner', () => {
  it('have five attempts of their own, wherever the device is and whatever strangers there do', async () => {
    await logins.fail(5);
    for (let n = 0; n < 5; n++) await logins.fail(1, login({ ...device, ...network(n) }));
    expect(await logins.attemptOnce(login(device))).toBe(300);
    expect(await logins.isAdmitted(login({ device: 'phone' }))).toBe(true);
  });

  it('share 1,000 wrong passwords in 30 days with all known sources, however often the owner logs in', async () => {
    for (let n = 0; n < 249; n++) {
      await logins.fail(4, login(device));
      await logins.succeed(login(device));
    }
    await logins.fail(4, login(device));
    expect(await logins.isAdmitted(login({ device: 'phone' }))).toBe(false);
    logins.now += 15 * MINUTE;
    expect(await logins.isAdmitted(login({ device: 'phone' }))).toBe(true);
  });
});

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
