import { StoreUnavailable } from '@keyfold/event-store';
import { sessionStream } from '@keyfold/projections';
import { HashQueueFull, staticHash, wrapOpenlistHash } from '@keyfold/security';
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountState, changeAccount, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn, LoginClient } from '../../testing/login-client.js';
import { SECOND } from '../../testing/settable-clock.js';
import { LoginCounts } from './login-outcomes.js';

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a login with the right password', () => {
  it('returns the token of a stored session', async () => {
    const { service, client } = await clientWithAnn();
    const token = await client.logIn();
    const claims = service.tokens.read(token)!;
    expect(claims).toMatchObject({ sub: '7', username: 'ann', iat: service.clock.now() / SECOND });
    const [commit] = await service.store.readStreams([{ stream: `session-${claims.jti}`, version: 0 }]);
    expect(commit).toMatchObject({ partition: '7', actor: 'login:7', correlation: 'request-1' });
    expect(commit!.events).toMatchObject([
      {
        type: 'SessionStarted',
        data: {
          accountId: 7,
          generation: 1,
          factors: ['password'],
          address: '192.0.2.7',
          client: 'curl/8.5.0',
          startedAt: claims.iat,
          expiresAt: claims.exp,
        },
      },
    ]);
  });

  it('succeeds for an account with an empty password, but never with an empty hash', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann', { password: '' });
    const client = new LoginClient(service);
    expect(await client.outcome({ password: '' })).toBe('token');
    expect(await client.outcome({ hash: undefined })).toBe('invalid-credentials');
  });

  it('starts a new session each time, even for concurrent logins', async () => {
    const { service, client } = await clientWithAnn();
    const tokens = await Promise.all(times(20).map(() => client.logIn()));
    const sessions = new Set(tokens.map((token) => service.tokens.read(token)!.jti));
    expect(sessions.size).toBe(20);
    for (const jti of sessions) {
      const [{ state }] = await service.loader.load(sessionStream(jti, 7));
      expect(state.status).toBe('active');
    }
  });
});

describe('a refused login', () => {
  const unknown = { username: 'nobody' };
  const wrong = { password: 'wrong' };
  const disabled = { username: 'bea', password: 'wrong' };
  // From another network, because the third try of a network asks the throttle twice.
  const emptyHash = { hash: undefined, address: '203.0.113.9' };
  const formerName = { username: 'cid' };
  const refused = { unknown, wrong, disabled, emptyHash, formerName };

  async function clientWithMany() {
    const { service, client } = await clientWithAnn();
    await registerAccount(service, 8, 'bea', { disabled: true });
    await registerAccount(service, 9, 'cid');
    await changeAccount(service, 9, { type: 'DeleteAccount' });
    return { service, client };
  }

  it('does not reveal whether the name, the password or the state of the account was the reason, and starts no session', async () => {
    const { service, client } = await clientWithMany();
    for (const attempt of Object.values(refused)) expect(await client.outcome(attempt)).toBe('invalid-credentials');
    expect(await client.outcome({ username: 'bea' })).toBe('login-not-permitted');
    const commits = await service.store.readFeed(0, 0, 100);
    expect(commits.filter(({ stream }) => stream.startsWith('session-'))).toEqual([]);
  });

  it('costs the same hashes and store operations, whatever the reason', async () => {
    const { service } = await clientWithMany();
    const first: Record<string, number> = {};
    const second: Record<string, number> = {};
    for (const [reason, attempt] of Object.entries(refused)) {
      // Each reason gets its own process with cold caches, which makes the hash for unknown names at its first login.
      const calls: string[] = [];
      const client = new LoginClient(new EmbeddedService(service.folder, (call) => void calls.push(call)));
      await client.outcome({ username: 'stranger' });
      for (const costs of [first, second]) {
        calls.length = 0;
        await client.outcome(attempt);
        costs[reason] = calls.length;
        expect(calls.slice(0, 2)).toEqual(['ThrottleStore.isRemembered', 'ThrottleStore.admit']);
        expect(calls.at(-1)).toBe('PasswordHasher.verify');
      }
    }
    expect(second).toEqual({ unknown: 4, wrong: 4, disabled: 4, emptyHash: 4, formerName: 4 });
    expect(first).toEqual({ unknown: 6, wrong: 6, disabled: 6, emptyHash: 6, formerName: 6 });
  });
});

describe('the security log of a login', () => {
  const event = { account: 7, about: [7], fields: { factor: 'password', reason: 'invalid-credentials' } };

  it('contains the account, the factor and the reason of a refusal', async () => {
    const { client } = await clientWithAnn();
    await client.outcome({ password: 'wrong' });
    expect(client.reported).toEqual([
      { ...event, name: 'authn_login_fail', outcome: 'refused', origin: { correlation: 'request-1' } },
    ]);
  });

  it('contains nothing that was typed: an unknown name may be a password', async () => {
    const { client } = await clientWithAnn();
    await client.outcome({ username: 'my s3cret', password: 'wrong' });
    expect(client.reported).toMatchObject([{ name: 'authn_login_fail', outcome: 'refused' }]);
    expect(client.reported[0]).not.toHaveProperty('account');
    expect(JSON.stringify(client.reported)).not.toMatch(/s3cret|wrong|ann/);
  });

  it('contains each throttled try', async () => {
    const { client } = await clientWithAnn();
    for (const _ of times(8)) await client.outcome({ password: 'wrong' });
    expect(client.reported.map(({ name }) => name)).toEqual([
      ...times(5).map(() => 'authn_login_fail'),
      ...times(3).map(() => 'authn_login_fail_max'),
    ]);
    expect(client.reported.at(-1)).toMatchObject({ outcome: 'throttled', fields: { reason: 'too-many-attempts' } });
  });

  it('contains nothing if the login succeeds or the password cannot be checked', async () => {
    const full = new EmbeddedService(undefined, (call) => {
      if (call === 'PasswordHasher.verify') throw new HashQueueFull(2);
    });
    for (const service of [new EmbeddedService(), full]) {
      const { client } = await clientWithAnn(service);
      await client.logIn().catch(() => undefined);
      expect(client.reported).toEqual([]);
    }
  });
});

describe('login checks', () => {
  it('of a password are accepted, refused, or throttled', async () => {
    const { client } = await clientWithAnn();
    await client.outcome();
    await client.outcome({ username: 'nobody' });
    for (let n = 0; n < 7; n++) await client.outcome({ password: 'wrong' });
    expect(client.attempts).toEqual({ 'password accepted': 1, 'password refused': 6, 'password throttled': 2 });
  });

  it('of a code are counted in addition to the password check, and a code that is not given is missing', async () => {
    const { client } = await clientWithAnn();
    await client.enableTwoFactor(7);
    const code = client.code();
    for (const each of ['', client.wrongCode(), code]) await client.outcome({ code: each });
    // The enrolment has spent this code.
    expect(client.attempts).toEqual({
      'password accepted': 3,
      'one_time_code missing': 1,
      'one_time_code refused': 2,
    });
  });

  it('that could not be made are counted as failed', async () => {
    const service = new EmbeddedService(undefined, (call) => {
      if (call === 'PasswordHasher.verify') throw new StoreUnavailable('away');
    });
    const { client } = await clientWithAnn(service);
    await expect(client.outcome()).rejects.toThrow('away');
    expect(client.attempts).toEqual({ 'password failed': 1 });
  });

  it('have counts for each factor and outcome from the start', () => {
    const all = new LoginCounts().all();
    expect(all).toHaveLength(10);
    expect(all.filter(({ count }) => count !== 0)).toEqual([]);
  });
});

describe('a login with an imported password', () => {
  /** Gives account 7 the password "old" as an import stores it. */
  async function importPassword(service: EmbeddedService): Promise<void> {
    const original = { hash: hash('sha256', `${staticHash('old')}-salt`, 'hex'), salt: 'salt' };
    const wrapped = await wrapOpenlistHash(original, service.hasher);
    const password = { sealedHash: service.sealer.seal(wrapped, 'account-7/password'), timestamp: 1 };
    await changeAccount(service, 7, { type: 'SetPassword', password });
  }
  const storedHash = async (service: EmbeddedService) =>
    service.sealer.open((await accountState(service, 7)).sealedPasswordHash, 'account-7/password');

  it('replaces its hash by one of the normal form and ends no session', async () => {
    const { service, client } = await clientWithAnn();
    await importPassword(service);
    expect(await client.outcome({ password: 'wrong' })).toBe('invalid-credentials');
    expect(await storedHash(service)).toMatch(/^openlist\$/);
    await client.logIn({ password: 'old' });
    const { generation } = await accountState(service, 7);
    expect(await storedHash(service)).toMatch(/^\$argon2id\$/);
    expect(await client.outcome({ password: 'old' })).toBe('token');
    expect(generation).toBe(2);
    const commits = await service.store.readStreams([{ stream: 'account-7', version: 2 }]);
    expect(commits.map(({ actor, events }) => [actor, ...events.map(({ type }) => type)])).toEqual([
      ['login:7', 'PasswordResealed'],
    ]);
  });

  it('succeeds although the queue has no place for the new hash, and reports that', async () => {
    let isFull = false;
    const service = new EmbeddedService(undefined, (call) => {
      if (isFull && call === 'PasswordHasher.hash') throw new HashQueueFull();
    });
    const { client } = await clientWithAnn(service);
    await importPassword(service);
    isFull = true;
    expect(await client.outcome({ password: 'old' })).toBe('token');
    expect(await storedHash(service)).toMatch(/^openlist\$/);
    expect(client.notReplaced).toEqual([7]);
  });
});
