import { DomainError, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { sessionStream, siteSettingsStream } from '@keyfold/projections';
import { JwtService } from '@nestjs/jwt';
import { beforeEach, describe, expect, it } from 'vitest';
import { addSshKey, changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { LoginClient } from '../../testing/login-client.js';
import { HOUR, MINUTE } from '../../testing/settable-clock.js';
import { sealingContext } from '../secrets/sealing.js';
import type { SecurityEvent } from '../security-log/security-log.js';
import type { CallerPart } from './caller.js';

const context = { actor: 'test', correlation: 'test' };
const STATIC_TOKEN = 'openlist-static-token';

let calls: string[];
let service: EmbeddedService;
let client: LoginClient;
let reported: SecurityEvent[];

// The accounts are the admin, the enabled guest, ann (7) and bea (8).
beforeEach(async () => {
  calls = [];
  reported = [];
  service = new EmbeddedService(undefined, (call) => void calls.push(call));
  client = new LoginClient(service);
  await registerAccount(service, 1, 'admin', { role: ROLE_ADMIN });
  await registerAccount(service, 2, 'guest', { role: ROLE_GUEST });
  await registerAccount(service, 7, 'ann');
  await registerAccount(service, 8, 'bea');
});

const origin = { correlation: 'request-1', address: '192.0.2.7' };
const identify = (header: string | undefined, scope: CallerPart = 'account') =>
  service.identifier(reported).identify(header, scope, () => origin);
const outcomeOf = (header: string | undefined) =>
  identify(header).then(
    ({ by }) => `accepted as ${by}`,
    (error: unknown) => (error as DomainError).code,
  );
const sessionIdOf = (token: string) => service.tokens.read(token)!.jti;
const endSession = (token: string) =>
  service.runner.run(sessionStream(sessionIdOf(token), 7), { type: 'EndSession', reason: 'logout' }, context);
const resetStaticToken = (token: string) => {
  const sealedToken = service.sealer.seal(token, sealingContext.staticToken);
  return service.runner.run(siteSettingsStream, { type: 'ResetStaticToken', sealedToken }, context);
};

describe('a request without a token', () => {
  it.each([undefined, ''])('comes from the guest (header %j)', async (header) => {
    expect(await identify(header)).toMatchObject({ by: 'guest', account: { username: 'guest' } });
  });

  it('is refused as soon as another gateway has disabled the guest', async () => {
    await identify('');
    await updateAccount(new EmbeddedService(service.folder), 2, { disabled: true });
    expect(await outcomeOf('')).toBe('guest-disabled');
  });
});

describe('the token of a session', () => {
  it('identifies its account, with and without the word Bearer', async () => {
    const token = await client.logIn();
    for (const header of [token, `Bearer ${token}`, `Bearer   ${token} `]) {
      expect(await identify(header)).toMatchObject({
        by: 'session',
        sessionId: sessionIdOf(token),
        account: { accountId: 7, username: 'ann' },
      });
    }
  });

  it.each([
    ['is not a token', () => 'nonsense'],
    ['is the word Bearer alone', () => 'Bearer'],
    ['is empty after the word Bearer', () => 'Bearer '],
    ['follows another spelling of Bearer', async () => `bearer ${await client.logIn()}`],
    ['was modified', async () => `${await client.logIn()}x`],
    ['was signed with another secret', () => new JwtService({ secret: 'x'.repeat(32) }).sign({ iss: 'keyfold' })],
    [
      'belongs to no session',
      () => service.tokens.sign({ ...subject, sessionId: 'unknown', now: service.clock.now() }),
    ],
    [
      'contains the session of another account',
      async () => {
        const sessionId = sessionIdOf(await client.logIn({ username: 'bea' }));
        return service.tokens.sign({ ...subject, sessionId, now: service.clock.now() });
      },
    ],
    [
      'belongs to an ended session',
      async () => {
        const token = await client.logIn();
        await endSession(token);
        return token;
      },
    ],
  ])('is invalidated if it %s', async (_, header) => {
    expect(await outcomeOf(await header())).toBe('token-invalidated');
  });

  it('is accepted up to a minute early, because the clocks of gateways differ', async () => {
    const token = await client.logIn();
    service.clock.advance(-MINUTE);
    expect(await outcomeOf(token)).toBe('accepted as session');
    service.clock.advance(-1);
    expect(await outcomeOf(token)).toBe('token-not-active');
  });

  it.each([
    ['expires on time and not a millisecond earlier', (token: string) => token],
    [
      'does not outlive its session, whatever expiry it contains',
      (token: string) => service.tokens.sign({ ...subject, sessionId: sessionIdOf(token), now: service.clock.now() }),
    ],
  ])('%s', async (_, tokenFrom) => {
    const first = await client.logIn();
    service.clock.advance(48 * HOUR - 1);
    const token = tokenFrom(first);
    expect(await outcomeOf(token)).toBe('accepted as session');
    service.clock.advance(1);
    expect(await outcomeOf(token)).toBe('token-expired');
  });

  it('finds no account if the account was deleted', async () => {
    const token = await client.logIn();
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    expect(await outcomeOf(token)).toBe('account-not-found-for-token');
  });

  it('finds no account if the account was renamed, not even the next owner of the name', async () => {
    const token = await client.logIn();
    await updateAccount(service, 7, { username: 'anna' });
    await registerAccount(service, 9, 'ann');
    expect(await outcomeOf(token)).toBe('account-not-found-for-token');
    expect(await outcomeOf(await client.logIn({ username: 'anna' }))).toBe('accepted as session');
  });

  it('is refused after any password change, and a new login works', async () => {
    const token = await client.logIn();
    await updateAccount(service, 7, { password: 'other' });
    expect(await outcomeOf(token)).toBe('password-changed');
    expect(await outcomeOf(await client.logIn({ password: 'other' }))).toBe('accepted as session');
    // Going back to the first password is a change as well.
    await updateAccount(service, 7, { password: 'right' });
    expect(await outcomeOf(token)).toBe('password-changed');
  });

  it('is refused for the first applicable reason', async () => {
    const token = await client.logIn();
    await updateAccount(service, 7, { disabled: true });
    expect(await outcomeOf(token)).toBe('account-disabled');
    await updateAccount(service, 7, { disabled: false });
    expect(await outcomeOf(token)).toBe('accepted as session');
    await updateAccount(service, 7, { disabled: true, password: 'other' });
    expect(await outcomeOf(token)).toBe('password-changed');
    await updateAccount(service, 7, { username: 'anna' });
    expect(await outcomeOf(token)).toBe('account-not-found-for-token');
    service.clock.advance(48 * HOUR);
    expect(await outcomeOf(token)).toBe('token-expired');
    await endSession(token);
    expect(await outcomeOf(token)).toBe('token-invalidated');
  });

  it('is refused for the same reason once its session is compacted', async () => {
    const [expired, ended] = [await client.logIn(), await client.logIn()];
    const unknown = service.tokens.sign({ ...subject, sessionId: 'unknown', now: service.clock.now() });
    await endSession(ended);
    service.clock.advance(48 * HOUR);
    const refusals = () => Promise.all([expired, ended, unknown].map(outcomeOf));
    const before = await refusals();
    expect(before).toEqual(['token-expired', 'token-invalidated', 'token-invalidated']);
    await service.store.compact([expired, ended].map((token) => sessionStream(sessionIdOf(token), 7).stream));
    for (const cached of [service, new EmbeddedService(service.folder)]) {
      service = cached;
      expect(await refusals()).toEqual(before);
      expect(await refusals()).toEqual(before);
    }
    expect(() => service.identifier().identifyCached(ended, 'account')).not.toThrow();
  });

  it('is refused as soon as another gateway has ended the session', async () => {
    const token = await client.logIn();
    expect(await outcomeOf(token)).toBe('accepted as session');
    const ref = sessionStream(sessionIdOf(token), 7);
    const other = new EmbeddedService(service.folder);
    await other.runner.run(ref, { type: 'EndSession', reason: 'logout' }, context);
    expect(await outcomeOf(token)).toBe('token-invalidated');
  });

  it('costs one round trip to the store, also with the keys of the account', async () => {
    await addSshKey(service, 7, 'laptop');
    const token = await client.logIn();
    for (const part of ['account', 'keys'] as const) {
      await identify(token, part);
      calls.length = 0;
      const { keys } = await identify(token, part);
      expect(calls).toEqual(['EventStore.readStreams']);
      expect(keys?.ring.keys.map(({ title }) => title)).toEqual(part === 'keys' ? ['laptop'] : undefined);
    }
  });
});

describe('the static token', () => {
  it('identifies the admin, with and without the word Bearer', async () => {
    await resetStaticToken(STATIC_TOKEN);
    for (const header of [STATIC_TOKEN, `Bearer ${STATIC_TOKEN}`]) {
      expect(await identify(header, 'keys')).toMatchObject({
        by: 'static-token',
        account: { accountId: 1, username: 'admin' },
        keys: { ring: { keys: [] } },
      });
    }
  });

  it('is only the token that was created last', async () => {
    await resetStaticToken('former');
    await resetStaticToken(STATIC_TOKEN);
    for (const header of ['former', `${STATIC_TOKEN}x`, STATIC_TOKEN.slice(1)]) {
      expect(await outcomeOf(header)).toBe('token-invalidated');
    }
  });

  it('identifies nobody if it is missing or empty', async () => {
    expect(await outcomeOf('anything')).toBe('token-invalidated');
    await resetStaticToken('');
    for (const header of ['anything', 'Bearer ', 'Bearer']) expect(await outcomeOf(header)).toBe('token-invalidated');
    expect(await outcomeOf('')).toBe('accepted as guest');
  });
});

const refuse = (header: string) => expect(identify(header)).rejects.toEqual(new DomainError('token-invalidated'));
const forged = (about: string) => ({ name: 'authn_token_forged', about: [about], outcome: 'refused', origin });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const withOtherSignature = (token: string) =>
  token.replace(/[^.]+$/, (text) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1));
const claims = encoded({ sub: '1', jti: 's', iss: 'keyfold' });

describe('the security log records', () => {
  it('each use of the static token', async () => {
    await resetStaticToken(STATIC_TOKEN);
    for (const header of [STATIC_TOKEN, `Bearer ${STATIC_TOKEN}`]) await identify(header);
    const use = { name: 'authn_token_use', about: [1, 'static'], account: 1, outcome: 'accepted', origin };
    expect(reported).toEqual([use, use]);
  });

  it('a refused static token, but no part of its text', async () => {
    await resetStaticToken(STATIC_TOKEN);
    await refuse('openlist-g0essed');
    await refuse('g0essed');
    expect(reported).toEqual([
      { name: 'authn_token_fail', about: ['static'], outcome: 'refused', origin },
      { name: 'authn_token_fail', about: ['unknown'], outcome: 'refused', origin },
    ]);
    expect(JSON.stringify(reported)).not.toContain('g0essed');
  });

  it.each([
    ['bad_signature', 'another secret', () => new JwtService({ secret: 'x'.repeat(32) }).sign({ iss: 'keyfold' })],
    ['bad_signature', 'a modified signature', async () => withOtherSignature(await client.logIn())],
    ['wrong_algorithm', 'no algorithm', () => `${encoded({ alg: 'none', typ: 'JWT' })}.${claims}.`],
    ['wrong_algorithm', 'HS512', () => new JwtService({ secret: 'x'.repeat(64) }).sign({}, { algorithm: 'HS512' })],
    ['bad_claims', 'our signature over foreign claims', () => service.signWithOurSecret({ iss: 'other' })],
  ])('%s for a token with %s', async (flaw, _, token) => {
    await refuse(await token());
    expect(reported).toEqual([forged(flaw)]);
  });

  it('nothing for the guest, a session, or a session that has ended', async () => {
    const token = await client.logIn();
    await identify(token);
    await identify('');
    await endSession(token);
    await refuse(token);
    expect(reported).toEqual([]);
  });
});

const subject = { accountId: 7, username: 'ann', passwordTimestamp: 0 };
