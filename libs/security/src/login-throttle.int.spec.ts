import { beforeEach, describe, expect, it } from 'vitest';
import { code, device, login, network, ThrottledLogins } from '../testing/throttled-logins.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

let logins: ThrottledLogins;
beforeEach(() => (logins = new ThrottledLogins()));

describe('one source and one account', () => {
  it('has five tries, then one after five minutes, ten, and so on up to an hour, also when it is known', async () => {
    await logins.succeed();
    await logins.fail(5);
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      const wait = Number(await logins.tryOnce());
      waits.push(wait);
      logins.now += wait * SECOND;
      await logins.fail(1);
    }
    expect(waits).toEqual([300, 600, 1_200, 2_400, 3_600, 3_600]);
  });

  it('does not wait longer for trying while it is refused', async () => {
    await logins.fail(5);
    for (let second = 0; second < 299; second++) {
      logins.now += SECOND;
      expect(await logins.tryOnce()).toBe(299 - second);
    }
    logins.now += SECOND;
    expect(await logins.isAdmitted()).toBe(true);
  });

  it('starts anew after a success', async () => {
    for (let round = 0; round < 3; round++) {
      await logins.fail(4);
      await logins.succeed();
    }
    await logins.fail(5);
    expect(await logins.tryOnce()).toBe(300);
  });

  it('is not hindered by other accounts and factors', async () => {
    await logins.fail(5);
    for (const other of [login({ account: 'bea' }), code()]) expect(await logins.isAdmitted(other)).toBe(true);
  });

  it('has five tries over a whole IPv6 network of 64 bits', async () => {
    await logins.succeed(login({ address: '2001:db8:1:2::9' }));
    for (const host of ['1', '2', 'a:b:c', 'ffff', '5'])
      await logins.fail(1, login({ address: `2001:db8:1:2::${host}` }));
    expect(await logins.tryOnce(login({ address: '2001:db8:1:2::6' }))).toBe(300);
    expect(await logins.isAdmitted(login({ address: '2001:db8:1:3::6' }))).toBe(true);
  });

  it('has five tries whether or not the address is wrapped in IPv6, and without an address', async () => {
    await logins.fail(3);
    await logins.fail(2, login({ address: '::ffff:192.0.2.7' }));
    expect(await logins.tryOnce()).toBe(300);
    await logins.fail(5, login({ address: '' }));
    expect(await logins.tryOnce(login({ address: 'not an address' }))).toBe(300);
  });

  it('has exactly five tries when many come at once', async () => {
    const admissions = await Promise.all(Array.from({ length: 50 }, () => logins.tryOnce()));
    expect(admissions.filter((answer) => typeof answer !== 'number')).toHaveLength(5);
  });
});

describe('a try that could not be checked', () => {
  it('is given back', async () => {
    await logins.fail(4);
    for (let n = 0; n < 10; n++) await logins.throttle.giveBack(await logins.counted());
    await logins.fail(1);
    expect(await logins.tryOnce()).toBe(300);
  });
});

describe('a try that found the hash queue full', () => {
  it('is no guess at the account, but its source has fifty of them in five minutes', async () => {
    for (let n = 0; n < 50; n++) await logins.throttle.giveBackGuess(await logins.counted());
    expect(await logins.tryOnce()).toBe(300);
    expect(await logins.isAdmitted(login({ address: '192.0.2.8' }))).toBe(true);
    logins.now += 5 * MINUTE;
    await logins.fail(5);
    expect(await logins.tryOnce()).toBe(300);
  });

  it('is one of the thousand that its network has in a day', async () => {
    for (let n = 0; n < 1_000; n++) {
      const attempt = login({ account: `account ${n}`, address: `192.0.2.${n % 250}` });
      await logins.throttle.giveBackGuess(await logins.counted(attempt));
    }
    expect(await logins.isAdmitted(login({ address: '192.0.2.251' }))).toBe(false);
  });
});

describe('one source and all accounts', () => {
  it('has fifty tries in five minutes, counted from the first, for both factors together', async () => {
    for (let n = 0; n < 25; n++) {
      await logins.fail(1, login({ account: `account ${n}` }));
      await logins.fail(1, code({ account: `account ${n}` }));
      logins.now += SECOND;
    }
    expect(await logins.tryOnce(login({ account: 'another' }))).toBe(299);
    expect(await logins.isAdmitted(login({ account: 'another', address: '192.0.2.8' }))).toBe(true);
    logins.now += 299 * SECOND;
    expect(await logins.isAdmitted(login({ account: 'another' }))).toBe(true);
  });

  it('is not used up by logins that succeed', async () => {
    for (let n = 0; n < 60; n++) await logins.succeed(login({ account: `account ${n}` }));
  });
});

describe('one network and all accounts', () => {
  it('has a thousand tries a day, which known sources and devices in it do not need', async () => {
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
  /** Another source of the network each time. */
  const within = (n: number) => ({ address: kind === 'IPv4' ? `192.0.2.${n}` : `2001:db8:1:${n}::1` });

  it('has fifteen tries, whatever its sources, and then waits longer with every failure', async () => {
    for (let n = 0; n < 15; n++) await logins.fail(1, login(within(n)));
    const waits: number[] = [];
    for (let n = 15; n < 19; n++) {
      const wait = Number(await logins.tryOnce(login(within(n))));
      waits.push(wait);
      logins.now += wait * SECOND;
      await logins.fail(1, login(within(n)));
    }
    expect(waits).toEqual([300, 600, 1_200, 2_400]);
  });

  it('keeps out neither other networks nor its own sources that the account knows, nor devices', async () => {
    await logins.succeed(login(within(100)));
    for (let n = 0; n < 15; n++) await logins.fail(1, login(within(n)));
    expect(await logins.isAdmitted(login(within(50)))).toBe(false);
    expect(await logins.isAdmitted(login(within(100)))).toBe(true);
    expect(await logins.isAdmitted(login({ ...within(50), ...device }))).toBe(true);
    expect(await logins.isAdmitted(login(network(1)))).toBe(true);
  });
});

describe('one account and all unknown sources', () => {
  it('admits two passwords of each network that has not tried before, whatever others do', async () => {
    for (let n = 0; n < 200; n++) await logins.failAsOftenAsPossible(login(network(n)));
    await logins.fail(2, login(network(200)));
    expect(await logins.isAdmitted(login(network(200)))).toBe(false);
  });

  it('admits first passwords only every ten minutes after three thousand', async () => {
    for (let n = 0; n < 3_000; n++) await logins.fail(1, login(network(n)));
    // The networks that come logins.now share the places of those who have tried before.
    let last = 3_000;
    while (await logins.isAdmitted(login(network(last)))) last += 1;
    expect(last).toBeLessThan(3_030);
    logins.now += 10 * MINUTE;
    expect(await logins.isAdmitted(login(network(4_000)))).toBe(true);
  });

  it('waits longer with every later password from the twentieth on, up to fifteen minutes', async () => {
    for (let n = 0; n < 40; n++) await logins.fail(2, login(network(n)));
    for (let n = 0; n < 20; n++) await logins.fail(1, login(network(n)));
    const waits: number[] = [];
    for (let n = 20; n < 33; n++) {
      const wait = Number(await logins.tryOnce(login(network(n))));
      waits.push(wait);
      logins.now += wait * SECOND;
      await logins.fail(1, login(network(n)));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('is open to a source that logged in there in the last thirty days, for that factor and account', async () => {
    await logins.succeed();
    const { isKnown } = await logins.counted();
    expect(isKnown).toBe(true);
    expect((await logins.counted(login({ account: 'bea' }))).isKnown).toBe(false);
    expect((await logins.counted(code())).isKnown).toBe(false);
    logins.now += 30 * DAY;
    expect((await logins.counted()).isKnown).toBe(false);
  });

  it('goes on counting wrong passwords when the owner logs in', async () => {
    for (let n = 0; n < 19; n++) await logins.fail(3, login(network(n)));
    await logins.succeed(login(network(100)));
    await logins.fail(3, login(network(19)));
    expect(await logins.isAdmitted(login(network(0)))).toBe(false);
  });
});

describe('one account and a device of its owner', () => {
  it('has five tries of its own, wherever it is and whatever strangers there have done', async () => {
    await logins.fail(5);
    for (let n = 0; n < 5; n++) await logins.fail(1, login({ ...device, ...network(n) }));
    expect(await logins.tryOnce(login(device))).toBe(300);
    expect(await logins.isAdmitted(login({ device: 'phone' }))).toBe(true);
  });

  it('shares a thousand wrong passwords in thirty days with all that the account knows, however often the owner logs in', async () => {
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
