import { DomainError, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { sessionStream, siteSettingsStream, sshKeyRingStream } from '@keyfold/projections';
import { JwtService } from '@nestjs/jwt';
import { beforeEach, describe, expect, it } from 'vitest';
import { addKey, publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { LoginDesk } from '../../testing/login-desk.js';
import { HOUR, MINUTE } from '../../testing/settable-clock.js';
import { sealedFor } from '../sealed-for.js';
import { noSecurityLog } from '../security-log/security-log.js';
import { CallerIdentifier, type Shows } from './caller-identifier.js';

const context = { actor: 'test', correlation: 'test' };
const API_TOKEN = 'openlist-static-token';

let calls: string[];
let service: EmbeddedService;
let desk: LoginDesk;

/** The admin, the enabled guest, ann (7) and bea (8). */
beforeEach(async () => {
  calls = [];
  service = new EmbeddedService(undefined, (call) => void calls.push(call));
  desk = new LoginDesk(service);
  await registerAccount(service, 1, 'admin', { role: ROLE_ADMIN });
  await registerAccount(service, 2, 'guest', { role: ROLE_GUEST });
  await registerAccount(service, 7, 'ann');
  await registerAccount(service, 8, 'bea');
});

const origin = { correlation: 'request-1', address: '192.0.2.7' };
const identifierOf = ({ loader, tokens, sealer, clock }: EmbeddedService) =>
  new CallerIdentifier(loader, tokens, sealer, clock, noSecurityLog);
const identify = (header: string | undefined, shows: Shows = 'account') =>
  identifierOf(service).identify(header, shows, () => origin);
const refusalOf = (header: string | undefined) =>
  identify(header).then(
    ({ by }) => `accepted as ${by}`,
    (error: unknown) => (error as DomainError).code,
  );
const sessionIdOf = (token: string) => service.tokens.read(token)!.jti;
const endSession = (token: string) =>
  service.commands.run(sessionStream(sessionIdOf(token), 7), { type: 'EndSession', reason: 'logout' }, context);
const resetApiToken = (token: string) => {
  const sealedToken = service.sealer.seal(token, sealedFor.apiToken);
  return service.commands.run(siteSettingsStream, { type: 'ResetApiToken', sealedToken }, context);
};

describe('a request without a token', () => {
  it.each([undefined, ''])('speaks for the guest (header %j)', async (header) => {
    expect(await identify(header)).toMatchObject({ by: 'guest', account: { username: 'guest' } });
  });

  it('is refused from the moment at which another gateway disabled the guest', async () => {
    await identify('');
    await updateAccount(new EmbeddedService(service.folder), 2, { disabled: true });
    expect(await refusalOf('')).toBe('guest-disabled');
  });
});

describe('the token of a session', () => {
  it('speaks for its account, with and without the word Bearer', async () => {
    const token = await desk.logIn();
    for (const header of [token, `Bearer ${token}`, `Bearer   ${token} `]) {
      expect(await identify(header)).toMatchObject({
        by: 'session',
        sessionId: sessionIdOf(token),
        account: { accountId: 7, username: 'ann' },
      });
    }
  });

  it.each([
    ['is no token', () => 'nonsense'],
    ['is the word Bearer alone', () => 'Bearer'],
    ['is nothing behind the word Bearer', () => 'Bearer '],
    ['has another spelling of Bearer before it', async () => `bearer ${await desk.logIn()}`],
    ['was changed', async () => `${await desk.logIn()}x`],
    ['was signed with another secret', () => new JwtService({ secret: 'x'.repeat(32) }).sign({ iss: 'keyfold' })],
    [
      'belongs to no session',
      () => service.tokens.sign({ ...subject, sessionId: 'unknown', now: service.clock.now() }),
    ],
    [
      'names the session of another account',
      async () => {
        const sessionId = sessionIdOf(await desk.logIn({ username: 'bea' }));
        return service.tokens.sign({ ...subject, sessionId, now: service.clock.now() });
      },
    ],
    [
      'belongs to a session that ended',
      async () => {
        const token = await desk.logIn();
        await endSession(token);
        return token;
      },
    ],
  ])('is invalidated when it %s', async (_, header) => {
    expect(await refusalOf(await header())).toBe('token-invalidated');
  });

  it('counts a minute before its time, because the clocks of gateways differ, and not earlier', async () => {
    const token = await desk.logIn();
    service.clock.advance(-MINUTE);
    expect(await refusalOf(token)).toBe('accepted as session');
    service.clock.advance(-1);
    expect(await refusalOf(token)).toBe('token-not-active');
  });

  it('does not outlive its session, whatever time it names', async () => {
    const sessionId = sessionIdOf(await desk.logIn());
    service.clock.advance(48 * HOUR - 1);
    const token = service.tokens.sign({ ...subject, sessionId, now: service.clock.now() });
    expect(await refusalOf(token)).toBe('accepted as session');
    service.clock.advance(1);
    expect(await refusalOf(token)).toBe('token-expired');
  });

  it('expires at its time and not a millisecond earlier', async () => {
    const token = await desk.logIn();
    service.clock.advance(48 * HOUR - 1);
    expect(await refusalOf(token)).toBe('accepted as session');
    service.clock.advance(1);
    expect(await refusalOf(token)).toBe('token-expired');
  });

  it('finds no account when the account was deleted', async () => {
    const token = await desk.logIn();
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    expect(await refusalOf(token)).toBe('account-not-found-for-token');
  });

  it('finds no account when the account was renamed, not even the next owner of the name', async () => {
    const token = await desk.logIn();
    await updateAccount(service, 7, { username: 'anna' });
    await registerAccount(service, 9, 'ann');
    expect(await refusalOf(token)).toBe('account-not-found-for-token');
    expect(await refusalOf(await desk.logIn({ username: 'anna' }))).toBe('accepted as session');
  });

  it('is refused after any password change, and a new login works', async () => {
    const token = await desk.logIn();
    await updateAccount(service, 7, { password: 'other' });
    expect(await refusalOf(token)).toBe('password-changed');
    expect(await refusalOf(await desk.logIn({ password: 'other' }))).toBe('accepted as session');
    // Back to the first password is a change too.
    await updateAccount(service, 7, { password: 'right' });
    expect(await refusalOf(token)).toBe('password-changed');
  });

  it('is refused while the account is disabled', async () => {
    const token = await desk.logIn();
    await updateAccount(service, 7, { disabled: true });
    expect(await refusalOf(token)).toBe('account-disabled');
    await updateAccount(service, 7, { disabled: false });
    expect(await refusalOf(token)).toBe('accepted as session');
  });

  it('is refused for the first reason in the order, whatever else is wrong', async () => {
    const token = await desk.logIn();
    await updateAccount(service, 7, { disabled: true });
    expect(await refusalOf(token)).toBe('account-disabled');
    await updateAccount(service, 7, { password: 'other' });
    expect(await refusalOf(token)).toBe('password-changed');
    await updateAccount(service, 7, { username: 'anna' });
    expect(await refusalOf(token)).toBe('account-not-found-for-token');
    service.clock.advance(48 * HOUR);
    expect(await refusalOf(token)).toBe('token-expired');
    await endSession(token);
    expect(await refusalOf(token)).toBe('token-invalidated');
  });

  it('is refused as before when its session was compacted', async () => {
    const [expired, ended] = [await desk.logIn(), await desk.logIn()];
    const unknown = service.tokens.sign({ ...subject, sessionId: 'unknown', now: service.clock.now() });
    await endSession(ended);
    service.clock.advance(48 * HOUR);
    const refusals = () => Promise.all([expired, ended, unknown].map(refusalOf));
    const before = await refusals();
    expect(before).toEqual(['token-expired', 'token-invalidated', 'token-invalidated']);
    await service.store.compact([expired, ended].map((token) => sessionStream(sessionIdOf(token), 7).stream));
    for (const cached of [service, new EmbeddedService(service.folder)]) {
      service = cached;
      expect(await refusals()).toEqual(before);
      expect(await refusals()).toEqual(before);
    }
    expect(() => identifierOf(service).identifyNow(ended, 'account')).not.toThrow();
  });

  it('is refused from the moment at which another gateway ended the session', async () => {
    const folder = new EmbeddedFolder();
    const [here, there] = [new EmbeddedService(folder), new EmbeddedService(folder)];
    await registerAccount(here, 7, 'ann');
    const token = await new LoginDesk(here).logIn();
    expect((await identifierOf(here).identify(token, 'account', () => origin)).by).toBe('session');
    const ref = sessionStream(here.tokens.read(token)!.jti, 7);
    await there.commands.run(ref, { type: 'EndSession', reason: 'logout' }, context);
    await expect(identifierOf(here).identify(token, 'account', () => origin)).rejects.toEqual(
      new DomainError('token-invalidated'),
    );
  });

  it.each(['account', 'keys'] as const)(
    'costs one round trip to the store when the answer shows the %s',
    async (shows) => {
      const token = await desk.logIn();
      await identify(token, shows);
      calls.length = 0;
      await identify(token, shows);
      expect(calls).toEqual(['EventStore.readStreams']);
    },
  );

  it('brings the keys of the account where the answer shows them', async () => {
    await service.commands.run(sshKeyRingStream(7), addKey('laptop', publicKey('laptop')), context);
    const token = await desk.logIn();
    expect((await identify(token, 'keys')).keys?.ring.keys).toMatchObject([{ title: 'laptop' }]);
    expect((await identify(token)).keys).toBeUndefined();
  });
});

describe('the static token', () => {
  it('speaks for the admin, with and without the word Bearer', async () => {
    await resetApiToken(API_TOKEN);
    for (const header of [API_TOKEN, `Bearer ${API_TOKEN}`]) {
      expect(await identify(header, 'keys')).toMatchObject({
        by: 'api-token',
        account: { accountId: 1, username: 'admin' },
        keys: { ring: { keys: [] } },
      });
    }
  });

  it('is only what was made last', async () => {
    await resetApiToken('former');
    await resetApiToken(API_TOKEN);
    for (const header of ['former', `${API_TOKEN}x`, API_TOKEN.slice(1)]) {
      expect(await refusalOf(header)).toBe('token-invalidated');
    }
  });

  it('is nobody when there is none or when it is empty', async () => {
    expect(await refusalOf('anything')).toBe('token-invalidated');
    await resetApiToken('');
    for (const header of ['anything', 'Bearer ', 'Bearer']) expect(await refusalOf(header)).toBe('token-invalidated');
    expect(await refusalOf('')).toBe('accepted as guest');
  });
});

const subject = { accountId: 7, username: 'ann', passwordTimestamp: 0 };
