import type { LoginProtocol } from '@keyfold/domain';
import { newAppPassword } from '@keyfold/security';
import { beforeEach, describe, expect, it } from 'vitest';
import { changeAccount, registerAccounts, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { LoginClient } from '../../testing/login-client.js';
import { createAppPassword, revokeSecret } from '../../testing/named-secrets.js';
import { HOUR, MINUTE } from '../../testing/settable-clock.js';
import { AppPasswordCheck } from '../caller/app-password-check.js';
import { appPasswordKind } from '../named-secrets/secret-kinds.js';
import { CheckFileServerLoginCommand, CheckFileServerLoginHandler } from './file-server-logins.js';
import { LoginQueues } from './login-queues.js';
import { PasswordCheck } from './password-check.js';
import { nameHash } from './user-names.js';

const WEBDAV = 1 << 8;
const OWNERS_ADDRESS = '192.0.2.7';
/** More than any limit of the throttle for guesses. */
const MANY = 60;
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Queues that are full for every login. */
class FullQueues extends LoginQueues {
  enter() {
    return Promise.resolve('full' as const);
  }
}

/** Logs in to file servers as `ann` over WebDAV from the address of the owner, unless the login says otherwise. */
class FileServerClient {
  readonly api: LoginClient;
  readonly #handler: CheckFileServerLoginHandler;

  constructor(service: EmbeddedService, queues?: LoginQueues) {
    const { runner, names, throttle, loader, clock, activity, hasher, sealer, recentLogins } = service;
    this.api = new LoginClient(service);
    const { codes, security } = this.api;
    const passwords = queues
      ? new PasswordCheck(names, hasher, queues, throttle, sealer, runner, recentLogins)
      : this.api.passwords;
    const appPasswords = new AppPasswordCheck(loader, clock, activity, security);
    this.#handler = new CheckFileServerLoginHandler(runner, passwords, codes, appPasswords, names, throttle, security);
  }

  /** Logs in and returns the factors, or why the login is refused. */
  async outcome(
    password: string,
    differing: Readonly<{ username?: string; address?: string; protocol?: LoginProtocol }> = {},
  ): Promise<string> {
    const { username = 'ann', address = OWNERS_ADDRESS, protocol = 'webdav' } = differing;
    const origin = { correlation: 'request-1', address };
    const login = { protocol, username, password, code: undefined, address, origin };
    const result = await this.#handler
      .execute(new CheckFileServerLoginCommand(login))
      .catch((error: { code?: string; name: string }) => error.code ?? error.name);
    return typeof result === 'string' ? result : result.factors.join();
  }

  /** Returns how many of `count` equal logins have each outcome. */
  async outcomes(count: number, ...login: Parameters<FileServerClient['outcome']>): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const _ of times(count)) {
      const outcome = await this.outcome(...login);
      found[outcome] = (found[outcome] ?? 0) + 1;
    }
    return found;
  }
}

let service: EmbeddedService;
let client: FileServerClient;
let text: string;

beforeEach(async () => {
  service = new EmbeddedService();
  await registerAccounts(service, { 7: 'ann', 8: 'bea' });
  for (const id of [7, 8]) await updateAccount(service, id, { permission: WEBDAV });
  client = new FileServerClient(service);
  ({ text } = await createAppPassword(service, 7, 'laptop'));
});

const throttled = async () => (await client.outcome('wrong')) === 'too-many-attempts';

describe('a right app password', () => {
  it('opens logins from a network whose guesses at the account are used up, and the password does not', async () => {
    for (const n of times(15)) await client.outcome('wrong', { address: `192.0.2.${100 + n}` });
    expect(await client.outcomes(MANY, text)).toEqual({ 'app-password': MANY });
    expect(await client.outcome('right')).toBe('too-many-attempts');
  });

  it('opens logins from a source that has used up its requests', async () => {
    for (const n of times(50)) await client.outcome('wrong', { username: `name ${n}` });
    expect(await client.outcomes(MANY, text)).toEqual({ 'app-password': MANY });
    expect(await client.outcome('right', { username: 'bea' })).toBe('too-many-attempts');
  });

  it('opens logins while the queues are full', async () => {
    const hurried = new FileServerClient(service, new FullQueues());
    expect(await hurried.outcomes(MANY, text)).toEqual({ 'app-password': MANY });
    expect(await hurried.outcome('right')).toBe('HashQueueFull');
  });

  it('neither counts nor forgives guesses', async () => {
    for (const _ of times(4)) {
      await client.outcome('wrong');
      await client.outcomes(10, text);
    }
    expect(await throttled()).toBe(false);
    expect(await throttled()).toBe(true);
  });

  it('needs no hash, and writes nothing to the throttle', async () => {
    const calls: string[] = [];
    const watched = new FileServerClient(new EmbeddedService(service.folder, (call) => void calls.push(call)));
    expect(await watched.outcome(text)).toBe('app-password');
    calls.length = 0;
    expect(await watched.outcome(text)).toBe('app-password');
    expect(calls).toEqual(['ThrottleStore.secondsBlocked', 'EventStore.readStreams', 'EventStore.readStreams']);
  });
});

describe('an app password that opens nothing', () => {
  const refusals: readonly (readonly [string, string, (id: number) => Promise<unknown>, LoginProtocol])[] = [
    ['was revoked', 'refused', (id) => revokeSecret(service, appPasswordKind, 7, id), 'webdav'],
    ['has expired', 'refused', () => Promise.resolve(service.clock.advance(HOUR)), 'webdav'],
    [
      'gave way to one with its name',
      'refused',
      () => (service.clock.advance(HOUR), createAppPassword(service, 7, 'phone')),
      'webdav',
    ],
    ['is for another protocol', 'refused', () => updateAccount(service, 7, { permission: -1 }), 'ftp'],
    ['belongs to a disabled account', 'not permitted', () => updateAccount(service, 7, { disabled: true }), 'webdav'],
    [
      'belongs to an account without the permission',
      'not permitted',
      () => updateAccount(service, 7, { permission: 0 }),
      'webdav',
    ],
  ];

  it.each(refusals)('because it %s is %s each time and counts as no guess', async (_, outcome, end, protocol) => {
    const expiresAt = service.clock.now() + HOUR;
    const phone = await createAppPassword(service, 7, 'phone', { expiresAt });
    await end(phone.id);
    expect(await client.outcomes(1_000, phone.text, { protocol })).toEqual({ [outcome]: 1_000 });
    expect(await client.api.outcome({ username: 'bea' })).toBe('token');
    await updateAccount(service, 7, { disabled: false, permission: WEBDAV });
    expect(await client.outcome('right')).toBe('password');
    expect(await client.outcome(text)).toBe('app-password');
    expect(await client.api.outcome()).toBe('token');
  });

  it.each(refusals)(
    'because it %s is %s, reported with its account and id, and counted',
    async (_, outcome, end, protocol) => {
      const expiresAt = service.clock.now() + HOUR;
      const phone = await createAppPassword(service, 7, 'phone', { expiresAt });
      await end(phone.id);
      await client.outcome(phone.text, { protocol });
      const reason = outcome === 'refused' ? 'invalid-credentials' : 'login-not-permitted';
      expect(client.api.reported).toMatchObject([
        { name: 'authn_token_fail', about: ['app_password', phone.id], account: 7, outcome: 'refused' },
        { name: 'authn_login_fail', account: 7, outcome: 'refused', fields: { reason } },
      ]);
      expect(client.api.attempts).toEqual({ 'password refused': 1 });
    },
  );

  it('counts as a guess 90 days after its revocation', async () => {
    const phone = await createAppPassword(service, 7, 'phone');
    await revokeSecret(service, appPasswordKind, 7, phone.id);
    service.clock.advance(90 * 24 * HOUR - 1);
    expect(await client.outcomes(6, phone.text)).toEqual({ refused: 6 });
    service.clock.advance(1);
    expect(await client.outcomes(6, phone.text)).toEqual({ refused: 5, 'too-many-attempts': 1 });
  });
});

describe('a right password that opens nothing', () => {
  it.each([
    ['the account is disabled', { disabled: true }],
    ['the account lacks the permission', { permission: 0 }],
  ])('because %s counts as no guess at any door', async (_, change) => {
    await updateAccount(service, 7, change);
    expect(await client.outcomes(MANY, 'right')).toEqual({ 'not permitted': MANY });
    for (const _again of times(MANY)) await client.api.outcome();
    await updateAccount(service, 7, { disabled: false, permission: WEBDAV });
    expect(await client.outcome('right')).toBe('password');
    expect(await client.api.outcome()).toBe('token');
  });

  it('is told from a wrong one, and neither forgives guesses nor makes its source known', async () => {
    await updateAccount(service, 7, { permission: 0 });
    for (const _ of times(4)) {
      expect(await client.outcome('wrong')).toBe('refused');
      expect(await client.outcome('right')).toBe('not permitted');
    }
    const source = {
      factor: 'password',
      account: nameHash('ann'),
      address: OWNERS_ADDRESS,
      device: undefined,
    } as const;
    expect(await service.throttle.isKnown(source)).toBe(false);
    expect(await throttled()).toBe(false);
    expect(await throttled()).toBe(true);
    expect(await client.outcome('right')).toBe('too-many-attempts');
  });

  it('is reported with its reason', async () => {
    await updateAccount(service, 7, { permission: 0 });
    await client.outcome('right');
    expect(client.api.reported).toMatchObject([
      { name: 'authn_login_fail', account: 7, outcome: 'refused', fields: { reason: 'login-not-permitted' } },
    ]);
  });

  it('counts as no unknown app password, although it has the form of one', async () => {
    const password = newAppPassword().text;
    await updateAccount(service, 7, { password, permission: 0 });
    expect(await client.outcomes(501, password)).toEqual({ 'not permitted': 501 });
  });

  it('because two-factor needs a code counts as no guess, and a code that was used before does not either', async () => {
    await client.api.enableTwoFactor(7);
    service.clock.advance(MINUTE);
    expect(await client.outcomes(MANY, 'right')).toEqual({ 'code required': MANY });
    const withCode = `right${client.api.code()}`;
    expect(await client.outcomes(MANY, withCode)).toEqual({ 'password,one-time-code': 1, refused: MANY - 1 });
    service.clock.advance(MINUTE);
    expect(await client.outcome(`right${client.api.code()}`)).toBe('password,one-time-code');
  });
});

describe('a text in the form of an app password that the account does not know', () => {
  const unknown = newAppPassword().text;

  it.each([
    ['an account', 'ann'],
    ['an account without app passwords', 'bea'],
    ['a name without an account', 'nobody'],
  ])('counts as a guess at %s', async (_, username) => {
    expect(await client.outcomes(6, unknown, { username })).toEqual({ refused: 5, 'too-many-attempts': 1 });
    expect(await client.outcome('right', { username })).toBe('too-many-attempts');
  });

  it('is refused without a look-up after 500 of its source in five minutes, and only this form', async () => {
    const { text: beas } = await createAppPassword(service, 8, 'laptop');
    for (const _ of times(499)) await client.outcome(unknown);
    expect(await client.outcome(text)).toBe('app-password');
    await client.outcome(unknown, { username: 'nobody' });
    expect(await client.outcome(text)).toBe('too-many-attempts');
    expect(await client.outcome(beas, { username: 'bea' })).toBe('too-many-attempts');
    expect(await client.outcome('right', { username: 'bea' })).toBe('password');
    expect(await client.outcome(text, { address: '192.0.2.8' })).toBe('app-password');
    service.clock.advance(5 * MINUTE);
    expect(await client.outcome(text)).toBe('app-password');
  });

  it('does not count for its source if it is the password of the account', async () => {
    await updateAccount(service, 8, { password: unknown });
    for (const _ of times(510)) expect(await client.outcome(unknown, { username: 'bea' })).toBe('password');
  });

  it('takes the same store operations and hashes, whoever has the name and whatever the account has', async () => {
    await registerAccounts(service, { 9: 'off', 10: 'bare', 11: 'gone' });
    await createAppPassword(service, 9, 'phone');
    await updateAccount(service, 9, { disabled: true });
    await changeAccount(service, 11, { type: 'DeleteAccount' });
    const { id } = await createAppPassword(service, 8, 'phone');
    await revokeSecret(service, appPasswordKind, 8, id);

    const calls: string[] = [];
    const watched = new FileServerClient(new EmbeddedService(service.folder, (call) => void calls.push(call)));
    const costs: Record<string, string> = {};
    for (const [n, username] of ['ann', 'bea', 'off', 'bare', 'gone', 'nobody'].entries()) {
      // The second attempt finds everything cached.
      for (const attempt of [1, 2]) {
        calls.length = 0;
        expect(await watched.outcome(unknown, { username, address: `203.0.${n}.${attempt}` })).toBe('refused');
        costs[`${username} ${attempt}`] = calls.map((call) => call.split('.')[0]).join();
      }
    }
    const first = new Set(Object.entries(costs).flatMap(([key, cost]) => (key.endsWith('1') ? [cost] : [])));
    const second = new Set(Object.entries(costs).flatMap(([key, cost]) => (key.endsWith('2') ? [cost] : [])));
    expect([first.size, second.size], JSON.stringify(costs, null, 2)).toEqual([1, 1]);
    expect([...second].join()).toMatch(/PasswordHasher$/);
  });
});
