import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Argon2PasswordHasher, secondsToDrain } from './argon2-password-hasher.js';
import { dummyHash } from './dummy-hash.js';
import { HashQueueFull } from './password-hasher.js';
import { staticHash } from './static-hash.js';

const secret = staticHash('Adm1n-pass');
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const roomy = new Argon2PasswordHasher({ concurrency: 2, maxWaiting: 100 });

describe('a stored hash', () => {
  test('is argon2id with 19 MiB, two passes and one lane', async () => {
    expect(await roomy.hash(secret)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  test('differs each time and fits its password alone', async () => {
    const [one, two] = await Promise.all([roomy.hash(secret), roomy.hash(secret)]);
    expect(one).not.toBe(two);
    expect(await roomy.verify(secret, one)).toBe(true);
    expect(await roomy.verify(secret, two)).toBe(true);
    expect(await roomy.verify(staticHash('adm1n-pass'), one)).toBe(false);
    expect(await roomy.verify(secret.toUpperCase(), one)).toBe(false);
  });

  test('made at another cost still fits', async () => {
    const cheap = new Argon2PasswordHasher({
      concurrency: 1,
      maxWaiting: 1,
      cost: { memoryCost: 64, timeCost: 1, parallelism: 2 },
    });
    const stored = await cheap.hash(secret);
    expect(stored).toContain('$m=64,t=1,p=2$');
    expect(await roomy.verify(secret, stored)).toBe(true);
  });

  // Made by the argon2 command of the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
  test('of the reference implementation fits', async () => {
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await roomy.verify('password', stored)).toBe(true);
    expect(await roomy.verify('Password', stored)).toBe(false);
  });

  test('that nobody has a password for costs as much as any other', async () => {
    const dummy = await dummyHash(roomy);
    expect(dummy).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(await roomy.verify(secret, dummy)).toBe(false);
  });
});

describe('a stored text that is not worked on', () => {
  const tail = '$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

  test.each([
    ['an empty text', ''],
    ['a static hash', secret],
    ['another algorithm', `$argon2i$v=19$m=65536,t=2,p=1${tail}`],
    ['more than 1 GiB', `$argon2id$v=19$m=1048577,t=2,p=1${tail}`],
    ['4 TiB', `$argon2id$v=19$m=4294967295,t=2,p=1${tail}`],
    ['more than 10 passes', `$argon2id$v=19$m=65536,t=11,p=1${tail}`],
    ['more than 16 lanes', `$argon2id$v=19$m=65536,t=2,p=17${tail}`],
    ['no lanes', `$argon2id$v=19$m=65536,t=2,p=0${tail}`],
    ['no digest', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ'],
    ['a cut digest', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFh='],
  ])('%s fits no password, and no place in the queue is taken for it', async (_title, stored) => {
    const workable = await roomy.hash(secret);
    const full = new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 0 });
    const running = full.hash(secret);
    await expect(full.verify(secret, workable)).rejects.toBeInstanceOf(HashQueueFull);
    expect(await full.verify('password', stored)).toBe(false);
    await running;
  });
});

describe('the queue', () => {
  test('runs as many as allowed, lets as many wait as allowed, and refuses the next at once', async () => {
    const hasher = new Argon2PasswordHasher({ concurrency: 2, maxWaiting: 3 });
    const taken = Array.from({ length: 5 }, () => hasher.hash(secret));
    expect([hasher.running, hasher.waiting]).toEqual([2, 3]);

    const refused = await hasher.hash(secret).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HashQueueFull);
    expect(refused).toMatchObject({ retryAfterSeconds: 1, message: expect.stringContaining('1 s') });
    expect([hasher.running, hasher.waiting, hasher.refused]).toEqual([2, 3, 1]);

    expect(new Set(await Promise.all(taken)).size).toBe(5);
    await setImmediate();
    expect([hasher.running, hasher.waiting]).toEqual([0, 0]);
    expect(await hasher.verify(secret, await hasher.hash(secret))).toBe(true);
  });

  test('tells how long each hash took, and not how long it waited', async () => {
    const times: number[] = [];
    const hasher = new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 9, onHashed: (took) => times.push(took) });
    const start = performance.now();
    const hashes = await Promise.all(Array.from({ length: 4 }, () => hasher.hash(secret)));
    await hasher.verify(secret, hashes[0] ?? '');
    const passed = (performance.now() - start) / 1_000;
    expect(times).toHaveLength(5);
    for (const took of times) expect(took).toBeGreaterThan(0.001);
    // One after another: with their waiting they would be more than the time that passed.
    expect(times.reduce((sum, took) => sum + took)).toBeLessThanOrEqual(passed);
  });

  test('refuses the last of whoever waits for most, when one more comes than may wait', async () => {
    const hasher = new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 3 });
    const done: string[] = [];
    const ask = (name: string, groups: string[]) =>
      hasher.hash(secret, groups).then(
        () => done.push(name),
        () => done.push(`${name} refused`),
      );
    const crowd = [1, 2, 3, 4].map((n) => ask(`crowd ${n}`, ['crowd']));
    await Promise.all([...crowd, ask('single', ['single'])]);
    expect(done).toEqual(['crowd 4 refused', 'crowd 1', 'crowd 2', 'single', 'crowd 3']);
    expect(hasher.refused).toBe(1);
  });

  test('keeps a newcomer, known or not, when everybody waits for one hash', async () => {
    for (const standing of ['unknown', 'known']) {
      const hasher = new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 20, cost: CHEAP });
      const ask = (groups: string[]) =>
        hasher.hash(secret, groups).then(
          () => 'served',
          () => 'refused',
        );
      const crowd = Array.from({ length: 21 }, (_, n) => ask(['unknown', `network ${n}`]));
      expect(await ask([standing, 'newcomer'])).toBe('served');
      const outcomes = await Promise.all(crowd);
      expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(1);
    }
  });

  test('keeps half of its places for known askers, whatever the others do', async () => {
    const hasher = new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 20, cost: CHEAP });
    const refused: string[] = [];
    const ask = (groups: string[]) => hasher.hash(secret, groups).catch(() => refused.push(groups[0]!));
    const known = Array.from({ length: 11 }, (_, n) => ask(['known', `network ${n}`]));
    const unknown = Array.from({ length: 100 }, (_, n) => ask(['unknown', `network ${n}`]));
    await Promise.all([...known, ...unknown]);
    expect(refused).toEqual(Array.from({ length: 90 }, () => 'unknown'));
  });

  test('goes on after a hash that failed', async () => {
    const broken = new Argon2PasswordHasher({
      concurrency: 1,
      maxWaiting: 1,
      cost: { memoryCost: 1, timeCost: 1, parallelism: 1 },
    });
    await expect(broken.hash(secret)).rejects.toThrow();
    await setImmediate();
    expect([broken.running, broken.waiting]).toEqual([0, 0]);
    expect(await broken.verify(secret, await roomy.hash(secret))).toBe(true);
  });

  test.each([
    [{ hashes: 0, meanMs: 0, concurrency: 1 }, 1],
    [{ hashes: 5, meanMs: 10, concurrency: 2 }, 1],
    [{ hashes: 60, meanMs: 100, concurrency: 2 }, 3],
    [{ hashes: 61, meanMs: 100, concurrency: 2 }, 4],
  ])('of %j is done in %i s', (queue, seconds) => {
    expect(secondsToDrain(queue)).toBe(seconds);
  });
});
