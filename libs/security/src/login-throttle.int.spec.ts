import { beforeEach, describe, expect, it } from 'vitest';
import { openThrottle } from '../testing/embedded-throttle.js';
import { CODE_FAILURES_BEFORE_LOCK, LoginThrottle, type CountedTry, type LoginTry } from './login-throttle.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let now: number;
let throttle: LoginThrottle;
beforeEach(() => {
  now = Date.UTC(2026, 0, 15, 12);
  throttle = new LoginThrottle(openThrottle().store, () => now);
});

type Differing = { account?: string; address?: string; device?: string };
const login = (differing: Differing = {}): LoginTry => ({
  factor: 'password',
  account: 'ann',
  address: '192.0.2.7',
  ...differing,
});
const code = (differing: Differing = {}): LoginTry => ({ ...login(differing), factor: 'one-time-code' });
/** An address in a network of its own. */
const network = (n: number) => ({ address: `100.${n >> 8}.${n & 255}.7` });
const device = { device: 'laptop' };

/** Answers what was counted, or the seconds after which to try again. */
async function tryOnce(attempt = login()): Promise<CountedTry | number> {
  const admission = await throttle.take(attempt);
  return admission.admitted ? admission.counted : admission.retryAfterSeconds;
}
async function counted(attempt = login()): Promise<CountedTry> {
  const answer = await tryOnce(attempt);
  if (typeof answer === 'number') throw new Error(`refused for ${answer} s`);
  return answer;
}
async function fail(count: number, attempt = login()) {
  for (let n = 0; n < count; n++) await counted(attempt);
}
const succeed = async (attempt = login()) => throttle.succeed(await counted(attempt));
/** Fails until it is refused; answers how often. */
async function failAsOftenAsPossible(attempt: LoginTry): Promise<number> {
  for (let count = 0; ; count++) if (typeof (await tryOnce(attempt)) === 'number') return count;
}
const isAdmitted = async (attempt?: LoginTry) => typeof (await tryOnce(attempt)) !== 'number';

describe('one source and one account', () => {
  it('has five tries, then one after five minutes, ten, and so on up to an hour, also when it is known', async () => {
    await succeed();
    await fail(5);
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      const wait = Number(await tryOnce());
      waits.push(wait);
      now += wait * SECOND;
      await fail(1);
    }
    expect(waits).toEqual([300, 600, 1_200, 2_400, 3_600, 3_600]);
  });

  it('does not wait longer for trying while it is refused', async () => {
    await fail(5);
    for (let second = 0; second < 299; second++) {
      now += SECOND;
      expect(await tryOnce()).toBe(299 - second);
    }
    now += SECOND;
    expect(await isAdmitted()).toBe(true);
  });

  it('starts anew after a success', async () => {
    for (let round = 0; round < 3; round++) {
      await fail(4);
      await succeed();
    }
    await fail(5);
    expect(await tryOnce()).toBe(300);
  });

  it('is not hindered by other accounts and factors', async () => {
    await fail(5);
    for (const other of [login({ account: 'bea' }), code()]) expect(await isAdmitted(other)).toBe(true);
  });

  it('has five tries over a whole IPv6 network of 64 bits', async () => {
    await succeed(login({ address: '2001:db8:1:2::9' }));
    for (const host of ['1', '2', 'a:b:c', 'ffff', '5']) await fail(1, login({ address: `2001:db8:1:2::${host}` }));
    expect(await tryOnce(login({ address: '2001:db8:1:2::6' }))).toBe(300);
    expect(await isAdmitted(login({ address: '2001:db8:1:3::6' }))).toBe(true);
  });

  it('has five tries whether or not the address is wrapped in IPv6, and without an address', async () => {
    await fail(3);
    await fail(2, login({ address: '::ffff:192.0.2.7' }));
    expect(await tryOnce()).toBe(300);
    await fail(5, login({ address: '' }));
    expect(await tryOnce(login({ address: 'not an address' }))).toBe(300);
  });

  it('has exactly five tries when many come at once', async () => {
    const admissions = await Promise.all(Array.from({ length: 50 }, () => tryOnce()));
    expect(admissions.filter((answer) => typeof answer !== 'number')).toHaveLength(5);
  });
});

describe('a try that could not be checked', () => {
  it('is given back', async () => {
    await fail(4);
    for (let n = 0; n < 10; n++) await throttle.giveBack(await counted());
    await fail(1);
    expect(await tryOnce()).toBe(300);
  });
});

describe('a try that found the hash queue full', () => {
  it('is no guess at the account, but its source has fifty of them in five minutes', async () => {
    for (let n = 0; n < 50; n++) await throttle.giveBackGuess(await counted());
    expect(await tryOnce()).toBe(300);
    expect(await isAdmitted(login({ address: '192.0.2.8' }))).toBe(true);
    now += 5 * MINUTE;
    await fail(5);
    expect(await tryOnce()).toBe(300);
  });

  it('is one of the thousand that its network has in a day', async () => {
    for (let n = 0; n < 1_000; n++) {
      const attempt = login({ account: `account ${n}`, address: `192.0.2.${n % 250}` });
      await throttle.giveBackGuess(await counted(attempt));
    }
    expect(await isAdmitted(login({ address: '192.0.2.251' }))).toBe(false);
  });
});

describe('one source and all accounts', () => {
  it('has fifty tries in five minutes, counted from the first, for both factors together', async () => {
    for (let n = 0; n < 25; n++) {
      await fail(1, login({ account: `account ${n}` }));
      await fail(1, code({ account: `account ${n}` }));
      now += SECOND;
    }
    expect(await tryOnce(login({ account: 'another' }))).toBe(299);
    expect(await isAdmitted(login({ account: 'another', address: '192.0.2.8' }))).toBe(true);
    now += 299 * SECOND;
    expect(await isAdmitted(login({ account: 'another' }))).toBe(true);
  });

  it('is not used up by logins that succeed', async () => {
    for (let n = 0; n < 60; n++) await succeed(login({ account: `account ${n}` }));
  });
});

describe('one network and all accounts', () => {
  it('has a thousand tries a day, which known sources and devices in it do not need', async () => {
    await succeed();
    for (let n = 0; n < 1_000; n++) await fail(1, login({ account: `account ${n}`, address: `192.0.2.${n % 250}` }));
    expect(await isAdmitted(login({ account: 'another', address: '192.0.2.251' }))).toBe(false);
    expect(await isAdmitted(login({ account: 'another', address: '192.0.3.1' }))).toBe(true);
    expect(await isAdmitted()).toBe(true);
    expect(await isAdmitted(login({ account: 'bea', ...device }))).toBe(true);
  });
});

describe.each(['IPv4', 'IPv6'])('one network of %s and one account', (kind) => {
  /** Another source of the network each time. */
  const within = (n: number) => ({ address: kind === 'IPv4' ? `192.0.2.${n}` : `2001:db8:1:${n}::1` });

  it('has fifteen tries, whatever its sources, and then waits longer with every failure', async () => {
    for (let n = 0; n < 15; n++) await fail(1, login(within(n)));
    const waits: number[] = [];
    for (let n = 15; n < 19; n++) {
      const wait = Number(await tryOnce(login(within(n))));
      waits.push(wait);
      now += wait * SECOND;
      await fail(1, login(within(n)));
    }
    expect(waits).toEqual([300, 600, 1_200, 2_400]);
  });

  it('keeps out neither other networks nor its own sources that the account knows, nor devices', async () => {
    await succeed(login(within(100)));
    for (let n = 0; n < 15; n++) await fail(1, login(within(n)));
    expect(await isAdmitted(login(within(50)))).toBe(false);
    expect(await isAdmitted(login(within(100)))).toBe(true);
    expect(await isAdmitted(login({ ...within(50), ...device }))).toBe(true);
    expect(await isAdmitted(login(network(1)))).toBe(true);
  });
});

describe('one account and all unknown sources', () => {
  it('admits two passwords of each network that has not tried before, whatever others do', async () => {
    for (let n = 0; n < 200; n++) await failAsOftenAsPossible(login(network(n)));
    await fail(2, login(network(200)));
    expect(await isAdmitted(login(network(200)))).toBe(false);
  });

  it('admits first passwords only every ten minutes after three thousand', async () => {
    for (let n = 0; n < 3_000; n++) await fail(1, login(network(n)));
    // The networks that come now share the places of those who have tried before.
    let last = 3_000;
    while (await isAdmitted(login(network(last)))) last += 1;
    expect(last).toBeLessThan(3_030);
    now += 10 * MINUTE;
    expect(await isAdmitted(login(network(4_000)))).toBe(true);
  });

  it('waits longer with every later password from the twentieth on, up to fifteen minutes', async () => {
    for (let n = 0; n < 40; n++) await fail(2, login(network(n)));
    for (let n = 0; n < 20; n++) await fail(1, login(network(n)));
    const waits: number[] = [];
    for (let n = 20; n < 33; n++) {
      const wait = Number(await tryOnce(login(network(n))));
      waits.push(wait);
      now += wait * SECOND;
      await fail(1, login(network(n)));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('is open to a source that logged in there in the last thirty days, for that factor and account', async () => {
    await succeed();
    const { isKnown } = await counted();
    expect(isKnown).toBe(true);
    expect((await counted(login({ account: 'bea' }))).isKnown).toBe(false);
    expect((await counted(code())).isKnown).toBe(false);
    now += 30 * DAY;
    expect((await counted()).isKnown).toBe(false);
  });

  it('goes on counting wrong passwords when the owner logs in', async () => {
    for (let n = 0; n < 19; n++) await fail(3, login(network(n)));
    await succeed(login(network(100)));
    await fail(3, login(network(19)));
    expect(await isAdmitted(login(network(0)))).toBe(false);
  });
});

describe('one account and a device of its owner', () => {
  it('has five tries of its own, wherever it is and whatever strangers there have done', async () => {
    await fail(5);
    for (let n = 0; n < 5; n++) await fail(1, login({ ...device, ...network(n) }));
    expect(await tryOnce(login(device))).toBe(300);
    expect(await isAdmitted(login({ device: 'phone' }))).toBe(true);
  });

  it('shares a thousand wrong passwords in thirty days with all that the account knows, however often the owner logs in', async () => {
    for (let n = 0; n < 249; n++) {
      await fail(4, login(device));
      await succeed(login(device));
    }
    await fail(4, login(device));
    expect(await isAdmitted(login({ device: 'phone' }))).toBe(false);
    now += 15 * MINUTE;
    expect(await isAdmitted(login({ device: 'phone' }))).toBe(true);
  });
});

describe('one-time codes', () => {
  it('that were wrong in a row are told, so that the hundredth can lock the code', async () => {
    for (let n = 1; n <= CODE_FAILURES_BEFORE_LOCK; n++) {
      now += 15 * MINUTE;
      expect(await counted(code(network(n)))).toMatchObject({ failures: n });
    }
  });

  it('of unknown sources are admitted a hundred times in thirty days, however often the owner logs in, then once a day', async () => {
    let admitted = 0;
    for (let n = 0; n < 140; n++) {
      if (await isAdmitted(code(network(n)))) admitted += 1;
      now += 15 * MINUTE;
      if (n % 10 === 0) await succeed(code(device));
    }
    expect(admitted).toBe(100);
    now += DAY;
    expect(await isAdmitted(code(network(200)))).toBe(true);
    expect(await isAdmitted(code(network(201)))).toBe(false);
  });

  it('of known sources are admitted thirty times in thirty days, apart from those of unknown ones', async () => {
    const devices = Array.from({ length: 10 }, (_, n) => code({ device: `device ${n}` }));
    for (let n = 0; n < 200; n++) await tryOnce(code(network(n)));
    for (const each of devices) if ((await failAsOftenAsPossible(each)) < 5) break;
    expect(await isAdmitted(code({ device: 'another' }))).toBe(false);
    now += DAY;
    expect(await isAdmitted(code({ device: 'another' }))).toBe(true);
  });

  it.each([
    { kind: 'source', guesser: code() },
    { kind: 'device', guesser: code(device) },
  ])('of one known $kind are fourteen of the thirty, and leave the owner the rest', async ({ guesser }) => {
    await succeed(code());
    const owner = code({ device: 'phone' });
    const start = now;
    let admitted = 0;
    for (; now < start + 30 * DAY; now += HOUR) admitted += await failAsOftenAsPossible(guesser);
    expect(admitted).toBe(14);
    expect(await isAdmitted(owner)).toBe(true);
  });

  it('of one known device are below thirty also where two of its periods meet', async () => {
    await fail(1, code(device));
    now += 29 * DAY;
    let admitted = 0;
    for (let hour = 0; hour < 30 * 24; hour++, now += HOUR) {
      // The tenth of a period would block the device beyond its end.
      if (hour >= 24 || admitted < 8) admitted += (await isAdmitted(code(device))) ? 1 : 0;
    }
    expect(admitted).toBeGreaterThan(14);
    expect(admitted).toBeLessThan(30);
  });

  it('of one network are a small share of them', async () => {
    let admitted = 0;
    for (let hour = 0; hour < 30 * 24; hour++) {
      admitted += await failAsOftenAsPossible(code({ address: `192.0.2.${hour % 250}` }));
      now += HOUR;
    }
    expect(admitted).toBeLessThan(30);
  });

  it('are counted only in a row where they lock', async () => {
    for (let n = 0; n < 19; n++) await fail(1, code(network(n)));
    await succeed(code(network(100)));
    expect(await counted(code(network(101)))).toMatchObject({ failures: 1 });
  });
});
