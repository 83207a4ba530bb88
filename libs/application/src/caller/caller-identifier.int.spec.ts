import { DomainError, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { sessionStream, siteSettingsStream, sshKeyRingStream } from '@keyfold/projections';
import { JwtService } from '@nestjs/jwt';
import { beforeEach, describe, expect, it } from 'vitest';
import { addKey, publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { LoginClient } from '../../testing/login-client.js';
import { HOUR, MINUTE } from '../../testing/settable-clock.js';
import { sealingContext } from '../secrets/sealing.js';
import { noSecurityLog } from '../security-log/security-log.js';
import type { CallerPart } from './caller.js';
import { CallerIdentifier } from './caller-identifier.js';

const context = { actor: 'test', correlation: 'test' };
const STATIC_TOKEN = 'openlist-static-token';

let calls: string[];
let service: EmbeddedService;
let client: LoginClient;

// The accounts are the admin, the enabled guest, ann (7) and bea (8).
beforeEach(async () => {
  calls = [];
  service = new EmbeddedService(undefined, (call) => void calls.push(call));
  client = new LoginClient(service);
  await registerAccount(service, 1, 'admin', { role: ROLE_ADMIN });
  await registerAccount(service, 2, 'guest', { role: ROLE_GUEST });
  await registerAccount(service, 7, 'ann');
  await registerAccount(service, 8, 'bea');
});

const origin = { correlation: 'request-1', address: '192.0.2.7' };
const identifierOf = ({ loader, tokens, sealer, clock, activity }: EmbeddedService) =>
  new CallerIdentifier(loader, tokens, sealer, clock, noSecurityLog, activity);
const identify = (header: string | undefined, scope: CallerPart = 'account') =>
  identifierOf(service).identify(header, scope, () => origin);
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

  it('does not outlive its session, whatever expiry it contains', async () => {
    const sessionId = sessionIdOf(await client.logIn());
    service.clock.advance(48 * HOUR - 1);
    const token = service.tokens.sign({ ...subject, sessionId, now: service.clock.now() });
    expect(await outcomeOf(token)).toBe('accepted as session');
    service.clock.advance(1);
    expect(await outcomeOf(token)).toBe('token-expired');
  });

  it('expires on time and not a millisecond earlier', async () => {
    const token = await client.logIn();
    service.clock.advance(48 * HOUR - 1);
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

  it('is refused while the account is disabled', async () => {
    const token = await client.logIn();
    await updateAccount(service, 7, { disabled: true });
    expect(await outcomeOf(token)).toBe('account-disabled');
    await updateAccount(service, 7, { disabled: false });
    expect(await outcomeOf(token)).toBe('accepted as session');
  });

  it('is refused for the first applicable reason', async () => {
    const token = await client.logIn();
    await updateAccount(service, 7, { disabled: true });
    expect(await outcomeOf(token)).toBe('account-disabled');
    await updateAccount(service, 7, { password: 'other' });
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
    expect(() => identifierOf(service).identifyCached(ended, 'account')).not.toThrow();
  });

  it('is refused as soon as another gateway has ended the session', async () => {
    const folder = new EmbeddedFolder();
    const [here, there] = [new EmbeddedService(folder), new EmbeddedService(folder)];
    await registerAccount(here, 7, 'ann');
    const token = await new LoginClient(here).logIn();
    expect((await identifierOf(here).identify(token, 'account', () => origin)).by).toBe('session');
    const ref = sessionStream(here.tokens.read(token)!.jti, 7);
    await there.runner.run(ref, { type: 'EndSession', reason: 'logout' }, context);
    await expect(identifierOf(here).identify(token, 'account', () => origin)).rejects.toEqual(
      new DomainError('token-invalidated'),
    );
  });

  it.each(['account', 'keys'] as const)('costs one round trip to the store with the scope %s', async (scope) => {
    const token = await client.logIn();
    await identify(token, scope);
    calls.length = 0;
    await identify(token, scope);
    expect(calls).toEqual(['EventStore.readStreams']);
  });

  it('loads the keys of the account with the scope keys', async () => {
    await service.runner.run(sshKeyRingStream(7), addKey('laptop', publicKey('laptop')), context);
    const token = await client.logIn();
    expect((await identify(token, 'keys')).keys?.ring.keys).toMatchObject([{ title: 'laptop' }]);
    expect((await identify(token)).keys).toBeUndefined();
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

const subject = { accountId: 7, username: 'ann', passwordTimestamp: 0 };
