import { beforeEach, describe, expect, it } from 'vitest';
import { openThrottle } from '../testing/embedded-throttle.js';
import { CODE_FAILURES_BEFORE_LOCK, LoginThrottle, type LoginTry } from './login-throttle.js';

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

const login = (differing: Partial<LoginTry> = {}): LoginTry => ({
  factor: 'password',
  account: 'ann',
  address: '192.0.2.7',
  ...differing,
});
const from = (host: number) => login({ address: `198.51.${host >> 8}.${host & 255}` });

/** Answers 'admitted', or the seconds after which to try again. */
async function tryOnce(attempt = login()): Promise<'admitted' | number> {
  const admission = await throttle.take(attempt);
  return admission.admitted ? 'admitted' : admission.retryAfterSeconds;
}
async function fail(count: number, attempt = login()) {
  for (let n = 0; n < count; n++) expect(await tryOnce(attempt)).toBe('admitted');
}
async function succeed(attempt = login()) {
  expect(await tryOnce(attempt)).toBe('admitted');
  await throttle.succeed(attempt);
}
/** Failures of one account from a new source each. */
async function failFromEverywhere(count: number, first = 0) {
  for (let host = first; host < first + count; host++) await fail(1, from(host));
}

describe('one source and one account', () => {
  it('has five tries, then none for five minutes', async () => {
    await fail(5);
    expect(await tryOnce()).toBe(300);
    now += 5 * MINUTE - 1;
    expect(await tryOnce()).toBe(1);
    now += 1;
    await fail(5);
    expect(await tryOnce()).toBe(300);
  });

  it('does not wait longer for trying while it is refused', async () => {
    await fail(5);
    for (let second = 0; second < 299; second++) {
      now += SECOND;
      expect(await tryOnce()).toBe(299 - second);
    }
    now += SECOND;
    expect(await tryOnce()).toBe('admitted');
  });

  it('starts anew five minutes after the last failure', async () => {
    await fail(4);
    now += 5 * MINUTE - 1;
    await fail(1);
    expect(await tryOnce()).toBe(300);

    now += 5 * MINUTE;
    await fail(4);
    now += 5 * MINUTE;
    await fail(4);
    expect(await tryOnce()).toBe('admitted');
  });

  it('starts anew after a success', async () => {
    for (let round = 0; round < 3; round++) {
      await fail(4);
      await succeed();
    }
    await fail(5);
    expect(await tryOnce()).toBe(300);
  });

  it('is not hindered by other accounts, sources and factors', async () => {
    await fail(5);
    for (const other of [{ account: 'bea' }, { address: '192.0.2.8' }, { factor: 'one-time-code' } as const]) {
      expect(await tryOnce(login(other))).toBe('admitted');
    }
  });

  it('has five tries over a whole IPv6 network of 64 bits', async () => {
    for (const host of ['1', '2', 'a:b:c', 'ffff', '5']) await fail(1, login({ address: `2001:db8:1:2::${host}` }));
    expect(await tryOnce(login({ address: '2001:db8:1:2::6' }))).toBe(300);
    expect(await tryOnce(login({ address: '2001:db8:1:3::6' }))).toBe('admitted');
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
    expect(admissions.filter((admission) => admission === 'admitted')).toHaveLength(5);
    expect(admissions.filter((admission) => admission === 300)).toHaveLength(45);
  });
});

describe('a try that could not be checked', () => {
  it('is given back', async () => {
    await fail(4);
    for (let n = 0; n < 10; n++) {
      expect(await tryOnce()).toBe('admitted');
      await throttle.giveBack(login());
    }
    await fail(1);
    expect(await tryOnce()).toBe(300);
  });
});

describe('one source and all accounts', () => {
  it('has fifty tries in five minutes, counted from the first, for both factors together', async () => {
    for (let n = 0; n < 25; n++) {
      await fail(1, login({ account: `account ${n}` }));
      await fail(1, login({ account: `account ${n}`, factor: 'one-time-code' }));
      now += SECOND;
    }
    expect(await tryOnce(login({ account: 'another' }))).toBe(299);
    expect(await tryOnce(login({ account: 'another', address: '192.0.2.8' }))).toBe('admitted');
    now += 299 * SECOND;
    expect(await tryOnce(login({ account: 'another' }))).toBe('admitted');
  });

  it('forgets its failures five minutes after the first', async () => {
    await fail(1, login({ account: 'first' }));
    now += 4 * MINUTE;
    for (let n = 0; n < 48; n++) await fail(1, login({ account: `account ${n}` }));
    now += MINUTE;
    for (let n = 0; n < 49; n++) await fail(1, login({ account: `other ${n}` }));
  });

  it('is not used up by logins that succeed', async () => {
    for (let n = 0; n < 60; n++) await succeed(login({ account: `account ${n}` }));
  });
});

describe('one account and all sources', () => {
  it('waits longer with every failure from the twentieth on, up to fifteen minutes', async () => {
    await failFromEverywhere(20);
    const waits: number[] = [];
    for (let host = 100; host < 113; host++) {
      const wait = await tryOnce(from(host));
      waits.push(Number(wait));
      now += Number(wait) * SECOND;
      await fail(1, from(host));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('is open to a source that logged in there in the last thirty days', async () => {
    await succeed();
    now += 30 * DAY - 1;
    await failFromEverywhere(20);
    expect(await tryOnce(from(100))).toBe(1);
    expect(await tryOnce()).toBe('admitted');
    now += 1;
    expect(await tryOnce()).toBe(2);
  });

  it('is open to that source for that factor of that account only', async () => {
    await succeed();
    await failFromEverywhere(20);
    for (let host = 0; host < 20; host++) await fail(1, { ...from(host), factor: 'one-time-code' });
    for (let host = 0; host < 20; host++) await fail(1, { ...from(host), account: 'bea' });
    expect(await tryOnce()).toBe('admitted');
    expect(await tryOnce(login({ factor: 'one-time-code' }))).toBe(1);
    expect(await tryOnce(login({ account: 'bea' }))).toBe(1);
  });

  it('does not open to others when a try of a known source is given back', async () => {
    await succeed();
    await failFromEverywhere(20);
    expect(await tryOnce(from(100))).toBe(1);
    expect(await tryOnce()).toBe('admitted');
    await throttle.giveBack(login());
    expect(await tryOnce(from(100))).toBe(1);
  });

  it('still holds a known source to five tries', async () => {
    await succeed();
    await failFromEverywhere(20);
    await fail(5);
    expect(await tryOnce()).toBe(300);
  });

  it('goes on counting wrong passwords when the owner logs in, and gets back only the try of the owner', async () => {
    await failFromEverywhere(19);
    await succeed(from(100));
    expect(await tryOnce(from(101))).toBe('admitted');
    expect(await tryOnce(from(102))).toBe(1);
  });

  it('counts wrong codes only in a row', async () => {
    const code = (host: number): LoginTry => ({ ...from(host), factor: 'one-time-code' });
    for (let host = 0; host < 19; host++) await fail(1, code(host));
    await succeed(code(100));
    for (let host = 0; host < 19; host++) await fail(1, code(200 + host));
    expect(await tryOnce(code(101))).toBe('admitted');
  });

  it('forgets wrong passwords after an hour without one, wrong codes only after thirty days', async () => {
    const code = (host: number): LoginTry => ({ ...from(host), factor: 'one-time-code' });
    await failFromEverywhere(19);
    for (let host = 0; host < 19; host++) await fail(1, code(host));
    now += HOUR;
    await failFromEverywhere(19, 100);
    await fail(1, code(100));
    expect(await tryOnce(code(101))).toBe(1);
    now += 30 * DAY;
    for (let host = 200; host < 219; host++) await fail(1, code(host));
  });

  it('says how many codes in a row were wrong, so that the hundredth can lock the code', async () => {
    for (let count = 1; count <= CODE_FAILURES_BEFORE_LOCK; count++) {
      now += 15 * MINUTE;
      const admission = await throttle.take({ ...from(count), factor: 'one-time-code' });
      expect(admission).toEqual({ admitted: true, failures: [count] });
    }
  });
});
