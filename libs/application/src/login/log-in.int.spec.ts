import { DomainError } from '@keyfold/domain';
import { sessionStream } from '@keyfold/projections';
import { HashQueueFull, staticHash } from '@keyfold/security';
import { describe, expect, it } from 'vitest';
import { changeAccount, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { LoginDesk } from '../../testing/login-desk.js';
import { DAY, MINUTE, SECOND } from '../../testing/settable-clock.js';

async function deskWithAnn(service = new EmbeddedService()) {
  await registerAccount(service, 7, 'ann');
  return { service, desk: new LoginDesk(service) };
}
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a login with the right password', () => {
  it('answers a token of a session that the log keeps', async () => {
    const { service, desk } = await deskWithAnn();
    const token = await desk.logIn();
    const claims = service.tokens.read(token)!;
    expect(claims).toMatchObject({ sub: '7', username: 'ann', iat: service.clock.now() / SECOND });
    const [commit] = await service.store.readStreams([{ stream: `session-${claims.jti}`, version: 0 }]);
    expect(commit).toMatchObject({ partition: '7', actor: 'login:7', correlation: 'request-1' });
    expect(commit!.events).toMatchObject([
      {
        type: 'SessionStarted',
        data: {
          accountId: 7,
          credential: 1,
          factors: ['password'],
          address: '192.0.2.7',
          client: 'curl/8.5.0',
          startedAt: claims.iat,
          expiresAt: claims.exp,
        },
      },
    ]);
  });

  it('succeeds with the static hash of the password as well', async () => {
    const { desk } = await deskWithAnn();
    expect(await desk.outcome({ hash: staticHash('right') })).toBe('token');
  });

  it('succeeds for an account with an empty password, but never with an empty hash', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann', { password: '' });
    const desk = new LoginDesk(service);
    expect(await desk.outcome({ password: '' })).toBe('token');
    expect(await desk.outcome({ hash: undefined })).toBe('invalid-credentials');
  });

  it('starts a session of its own each time, also when many log in at once', async () => {
    const { service, desk } = await deskWithAnn();
    const tokens = await Promise.all(times(20).map(() => desk.logIn()));
    const sessions = new Set(tokens.map((token) => service.tokens.read(token)!.jti));
    expect(sessions.size).toBe(20);
    for (const jti of sessions) {
      const [{ state }] = await service.loader.load(sessionStream(jti, 7));
      expect(state.status).toBe('active');
    }
  });
});

describe('a device token', () => {
  /** Ann logs in once; then a stranger uses up what her address may get wrong. */
  async function attackedDesk() {
    const { service, desk } = await deskWithAnn();
    await registerAccount(service, 8, 'bea');
    const { deviceToken: device } = await desk.enter();
    for (const _ of times(5)) await desk.outcome({ password: 'wrong' });
    expect(await desk.outcome()).toBe('too-many-attempts');
    return { service, desk, device };
  }

  it('lets its device log in where strangers have used up all tries, and is renewed', async () => {
    const { service, desk, device } = await attackedDesk();
    service.clock.advance(80 * DAY);
    for (const _ of times(5)) await desk.outcome({ password: 'wrong' });
    const { token, deviceToken } = await desk.enter({ device });
    expect(service.tokens.read(token)).toMatchObject({ sub: '7' });
    const [before, after] = [device, deviceToken].map((each) => service.devices.read(each, service.clock.now())!);
    expect(after).toEqual(before);
    service.clock.advance(80 * DAY);
    for (const _ of times(5)) await desk.outcome({ password: 'wrong' });
    expect(await desk.outcome({ device })).toBe('too-many-attempts');
    expect(await desk.outcome({ device: deviceToken })).toBe('token');
  });

  it('has five tries of its own', async () => {
    const { desk, device } = await attackedDesk();
    for (const _ of times(5)) expect(await desk.outcome({ password: 'wrong', device })).toBe('invalid-credentials');
    expect(await desk.outcome({ device })).toBe('too-many-attempts');
  });

  it('is nothing for the codes of another account that has the name now', async () => {
    const { service, desk, device } = await attackedDesk();
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    await registerAccount(service, 9, 'ann');
    await desk.enableTwoFactor(9);
    service.clock.advance(MINUTE);
    const elsewhere = { address: '203.0.113.7', device };
    const { deviceToken } = await desk.enter({ ...elsewhere, code: desk.code() });
    const ids = [device, deviceToken].map((each) => service.devices.read(each, service.clock.now())!.id);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('is nothing for another account, and made-up ones are nothing at all', async () => {
    const { desk, device } = await attackedDesk();
    for (const _ of times(5)) await desk.outcome({ username: 'bea', password: 'wrong' });
    expect(await desk.outcome({ username: 'bea', device })).toBe('too-many-attempts');
    expect(await desk.outcome({ device: `${device}x` })).toBe('too-many-attempts');
  });
});

describe('a login that is refused', () => {
  const unknown = { username: 'nobody' };
  const wrong = { password: 'wrong' };
  const disabled = { username: 'bea' };
  // From elsewhere, because the third try of a network asks the throttle twice.
  const emptyHash = { hash: undefined, address: '203.0.113.9' };
  const formerName = { username: 'cid' };
  const refused = { unknown, wrong, disabled, emptyHash, formerName };

  async function deskWithMany() {
    const calls: string[] = [];
    const { service, desk } = await deskWithAnn(new EmbeddedService(undefined, (call) => void calls.push(call)));
    await registerAccount(service, 8, 'bea', { disabled: true });
    await registerAccount(service, 9, 'cid');
    await changeAccount(service, 9, { type: 'DeleteAccount' });
    return { calls, service, desk };
  }

  it('does not tell whether the name, the password or the state of the account was the reason', async () => {
    const { desk } = await deskWithMany();
    for (const attempt of Object.values(refused)) expect(await desk.outcome(attempt)).toBe('invalid-credentials');
  });

  it('costs the same hashes and store operations, whatever the reason', async () => {
    const { service } = await deskWithMany();
    const first: Record<string, number> = {};
    const second: Record<string, number> = {};
    for (const [reason, attempt] of Object.entries(refused)) {
      // A process of its own for each reason, with cold caches; the hash for unknown names is made at its first login.
      const calls: string[] = [];
      const desk = new LoginDesk(new EmbeddedService(service.folder, (call) => void calls.push(call)));
      await desk.outcome({ username: 'stranger' });
      for (const costs of [first, second]) {
        calls.length = 0;
        await desk.outcome(attempt);
        costs[reason] = calls.length;
        expect(calls.slice(0, 2)).toEqual(['ThrottleStore.isRemembered', 'ThrottleStore.admit']);
        expect(calls.at(-1)).toBe('PasswordHasher.verify');
      }
    }
    expect(second).toEqual({ unknown: 4, wrong: 4, disabled: 4, emptyHash: 4, formerName: 4 });
    expect(first).toEqual({ unknown: 6, wrong: 6, disabled: 6, emptyHash: 6, formerName: 6 });
  });

  it('starts no session', async () => {
    const { service, desk } = await deskWithMany();
    for (const attempt of Object.values(refused)) await desk.outcome(attempt);
    const commits = await service.store.readFeed(0, 0, 100);
    expect(commits.filter(({ stream }) => stream.startsWith('session-'))).toEqual([]);
  });
});

describe('what the security log hears of a login', () => {
  const event = { account: 7, about: [7], fields: { factor: 'password', reason: 'invalid-credentials' } };

  it('is the account, the factor and the reason of a refusal', async () => {
    const { desk } = await deskWithAnn();
    await desk.outcome({ password: 'wrong' });
    expect(desk.reported).toEqual([
      { ...event, name: 'authn_login_fail', outcome: 'refused', origin: { correlation: 'request-1' } },
    ]);
  });

  it('is nothing that was typed: an unknown name may be a password', async () => {
    const { desk } = await deskWithAnn();
    await desk.outcome({ username: 'my s3cret', password: 'wrong' });
    expect(desk.reported).toMatchObject([{ name: 'authn_login_fail', outcome: 'refused' }]);
    expect(desk.reported[0]).not.toHaveProperty('account');
    expect(JSON.stringify(desk.reported)).not.toMatch(/s3cret|wrong|ann/);
  });

  it('is each throttled try', async () => {
    const { desk } = await deskWithAnn();
    for (const _ of times(8)) await desk.outcome({ password: 'wrong' });
    expect(desk.reported.map(({ name }) => name)).toEqual([
      ...times(5).map(() => 'authn_login_fail'),
      ...times(3).map(() => 'authn_login_fail_max'),
    ]);
    expect(desk.reported.at(-1)).toMatchObject({ outcome: 'throttled', fields: { reason: 'too-many-attempts' } });
  });

  it('is nothing when the login succeeds, or the password cannot be checked', async () => {
    const full = new EmbeddedService(undefined, (call) => {
      if (call === 'PasswordHasher.verify') throw new HashQueueFull(2);
    });
    for (const service of [new EmbeddedService(), full]) {
      const { desk } = await deskWithAnn(service);
      await desk.logIn().catch(() => undefined);
      expect(desk.reported).toEqual([]);
    }
  });
});

describe('the count of wrong passwords', () => {
  it('refuses after five, also the right password, and says for how long', async () => {
    const { service, desk } = await deskWithAnn();
    for (const _ of times(5)) expect(await desk.outcome({ password: 'wrong' })).toBe('invalid-credentials');
    await expect(desk.logIn()).rejects.toEqual(new DomainError('too-many-attempts', 300));
    service.clock.advance(5 * MINUTE);
    expect(await desk.outcome()).toBe('token');
  });

  it('treats unknown names as it treats known ones', async () => {
    const { desk } = await deskWithAnn();
    for (const _ of times(5)) expect(await desk.outcome({ username: 'nobody' })).toBe('invalid-credentials');
    expect(await desk.outcome({ username: 'nobody' })).toBe('too-many-attempts');
    expect(await desk.outcome()).toBe('token');
  });

  it('starts anew after a success', async () => {
    const { desk } = await deskWithAnn();
    for (const _ of times(3)) {
      for (const _ of times(4)) expect(await desk.outcome({ password: 'wrong' })).toBe('invalid-credentials');
      expect(await desk.outcome()).toBe('token');
    }
  });

  it('cannot be outrun by trying side by side', async () => {
    const { desk } = await deskWithAnn();
    const outcomes = await Promise.all(times(20).map(() => desk.outcome({ password: 'wrong' })));
    expect(outcomes.filter((outcome) => outcome === 'invalid-credentials')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === 'too-many-attempts')).toHaveLength(15);
  });
});

describe('a password that cannot be checked', () => {
  /** A desk whose hash queue is full until it is emptied. */
  async function crowdedDesk() {
    let full = true;
    const service = new EmbeddedService(undefined, (call) => {
      if (full && call === 'PasswordHasher.verify') throw new HashQueueFull(2);
    });
    return { ...(await deskWithAnn(service)), empty: () => (full = false) };
  }

  it('is no wrong one: the full queue is reported, and the try is given back', async () => {
    const { desk, empty } = await crowdedDesk();
    for (const _ of times(10)) await expect(desk.logIn()).rejects.toBeInstanceOf(HashQueueFull);
    empty();
    for (const _ of times(5)) expect(await desk.outcome({ password: 'wrong' })).toBe('invalid-credentials');
    expect(await desk.outcome()).toBe('too-many-attempts');
  });

  it('is throttled by its source when it finds the queue full again and again', async () => {
    const { desk, empty } = await crowdedDesk();
    for (const _ of times(50)) await expect(desk.logIn()).rejects.toBeInstanceOf(HashQueueFull);
    expect(await desk.outcome()).toBe('too-many-attempts');
    empty();
    expect(await desk.outcome({ address: '203.0.113.1' })).toBe('token');
  });

  it('is refused at once when two hundred of its account and source wait already', async () => {
    const { desk } = await deskWithAnn();
    const outcomes = await Promise.allSettled(times(201).map(() => desk.logIn()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: expect.any(HashQueueFull) as unknown });
  });
});
