import { ADMIN_ID, DomainError } from '@keyfold/domain';
import { Sealer } from '@keyfold/security';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { accountState, changeAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { LoginClient } from '../../testing/login-client.js';
import { DAY } from '../../testing/settable-clock.js';
import { FirstStart } from '../accounts/first-start.js';
import { NewPasswords, PasswordPolicy } from '../accounts/new-passwords.js';
import { SessionStart } from '../login/session-start.js';
import type { SecurityEvent } from '../security-log/security-log.js';
import { SettingSecrets } from '../settings/setting-secrets.js';
import { SetUpAdminCommand, SetUpAdminHandler } from './set-up-admin.js';
import { Setup, type SetupRules } from './setup.js';

const WRONG = '0000-0000-0000-0000';

let service: EmbeddedService;
let firstPassword: string;
beforeEach(async () => {
  service = new EmbeddedService();
  firstPassword = (await start())!;
});

async function start(chosen?: string): Promise<string | undefined> {
  const { store, loader, runner, names, passwords, sealer } = service;
  let announced: string | undefined;
  await new FirstStart(store, loader, runner, names, passwords, sealer, new SettingSecrets(sealer)).run(
    chosen,
    (password) => (announced = password),
  );
  return announced;
}

/** Returns the setup as another process on the same store sees it. */
function setupOf(rules: Partial<SetupRules> = {}, sealer = service.sealer): Setup {
  const { loader, store, throttle, clock } = service;
  return new Setup(loader, store, sealer, throttle, clock, { isOffered: true, days: 90, ...rules });
}

const codeOf = async () => (await setupOf().codes())[0];
const isOpen = async () => (await setupOf().codes()).length > 0;

/** Sets up and returns `token`, or the code of the refusal. */
async function outcome(
  code: string | undefined,
  { password = 'new password', address = '192.0.2.7', passwords = service.passwords } = {},
): Promise<string> {
  const { throttle, runner, tokens, clock } = service;
  const security = { report: (event: SecurityEvent) => void service.reported.push(event) };
  const sessions = new SessionStart(runner, tokens, clock);
  const handler = new SetUpAdminHandler(setupOf(), throttle, passwords, runner, sessions, security);
  const client = { address, client: 'browser', origin: { correlation: 'request-1', address } };
  try {
    const token = await handler.execute(new SetUpAdminCommand({ code: code ?? '', password, ...client }));
    const caller = await service.identifier().identify(token, 'account', () => client.origin);
    return caller.account.accountId === ADMIN_ID ? 'token' : 'another account';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

const fail = async (times: number) => {
  for (let n = 0; n < times; n++) expect(await outcome(WRONG, { address: `192.0.2.${n}` })).toBe('setup-refused');
};

describe('a right setup code', () => {
  it('sets the password, starts a session and ends the setup', async () => {
    const code = await codeOf();
    expect(await outcome(code)).toBe('token');
    const client = new LoginClient(service);
    expect(await client.outcome({ username: 'admin', password: 'new password' })).toBe('token');
    expect(await client.outcome({ username: 'admin', password: firstPassword })).toBe('invalid-credentials');
    expect(await isOpen()).toBe(false);
    expect(await outcome(code)).toBe('setup-refused');
    expect(service.reported.map(({ name, fields }) => [name, fields?.['actor']])).toContainEqual([
      'authn_password_change',
      'setup',
    ]);
  });

  it('is read without regard to letter case, dashes and white space', async () => {
    const code = (await codeOf())!;
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await outcome(` ${code.toLowerCase().replaceAll('-', ' ')}`)).toBe('token');
  });

  it('of several concurrent setups serves one', async () => {
    const code = await codeOf();
    const outcomes = await Promise.all(['one', 'two', 'three'].map((password) => outcome(code, { password })));
    expect(outcomes.toSorted()).toEqual(['setup-refused', 'setup-refused', 'token']);
  });

  it('does not count as a try if the policy refuses the password', async () => {
    const { hasher, sealer, clock } = service;
    const policy = new PasswordPolicy({ minLength: 20, refuseCommon: false });
    const passwords = new NewPasswords(hasher, sealer, clock, policy);
    await fail(9);
    expect(await outcome(await codeOf(), { passwords })).toBe('password-too-short');
    expect(await outcome(await codeOf(), { passwords })).toBe('password-too-short');
    expect(await outcome(await codeOf())).toBe('token');
  });

  it('is the same at every start, and stays accepted when another sealing key comes first', async () => {
    const code = await codeOf();
    await start();
    expect(await codeOf()).toBe(code);
    const keys = [
      { id: 'k2', key: Buffer.alloc(32, 8) },
      { id: 'k1', key: Buffer.alloc(32, 7) },
    ];
    const [first, second] = await setupOf({}, new Sealer(keys)).codes();
    expect(first).not.toBe(code);
    expect(second).toBe(code);
  });
});

describe('wrong setup codes', () => {
  it('end the setup for good after ten from any sources', async () => {
    await fail(9);
    expect(await isOpen()).toBe(true);
    const code = await codeOf();
    await fail(1);
    expect(await isOpen()).toBe(false);
    expect(await outcome(code)).toBe('setup-refused');
    service.clock.advance(80 * DAY);
    expect(await isOpen()).toBe(false);
    const refusals = service.reported.filter(({ fields }) => fields?.['factor'] === 'setup_code');
    expect(refusals).toHaveLength(10);
  });

  it('are ten in total if they are concurrent', async () => {
    const code = await codeOf();
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => outcome(WRONG)));
    expect(new Set(outcomes)).toEqual(new Set(['setup-refused']));
    expect(service.reported.filter(({ name }) => name === 'authn_login_fail')).toHaveLength(10);
    expect(await outcome(code)).toBe('setup-refused');
  });

  it('leave the ordinary login as it is', async () => {
    await fail(10);
    expect(await new LoginClient(service).outcome({ username: 'admin', password: firstPassword })).toBe('token');
  });
});

it('a source that the throttle blocks cannot try a setup code', async () => {
  const client = new LoginClient(service);
  for (let n = 0; n < 50; n++) await client.outcome({ username: `nobody ${n}`, address: '192.0.2.9' });
  expect(await outcome(await codeOf(), { address: '192.0.2.9' })).toBe('too-many-attempts');
  expect(await outcome(await codeOf())).toBe('token');
});

describe('the setup is closed', () => {
  it('after a login of the admin, also once its session has ended', async () => {
    const code = await codeOf();
    await new LoginClient(service).logIn({ username: 'admin', password: firstPassword });
    expect(await isOpen()).toBe(false);
    service.clock.advance(3 * DAY);
    expect(await outcome(code)).toBe('setup-refused');
    expect((await accountState(service, ADMIN_ID)).passwordTimestamp).toBe(0);
  });

  it('after a change of the password', async () => {
    await updateAccount(service, ADMIN_ID, { password: 'of the operator' });
    expect(await isOpen()).toBe(false);
  });

  it('after the sessions of the admin were ended', async () => {
    await changeAccount(service, ADMIN_ID, { type: 'EvictSessions', kept: null });
    expect(await isOpen()).toBe(false);
  });

  it('if the process does not offer it', async () => {
    expect(await setupOf({ isOffered: false }).codes()).toEqual([]);
  });

  it('as many days after the first start as logins can be found', async () => {
    service.clock.advance(90 * DAY);
    expect(await isOpen()).toBe(true);
    service.clock.advance(1);
    expect(await isOpen()).toBe(false);
  });

  it('if the operator chose the password at the first start, even if the setting is gone', async () => {
    service = new EmbeddedService();
    await start('chosen');
    expect(await isOpen()).toBe(false);
  });

  it('before the admin exists, and opens with its first start', async () => {
    service = new EmbeddedService();
    const setup = setupOf();
    expect(await setup.codes()).toEqual([]);
    await start();
    expect(await setup.codes()).toHaveLength(1);
  });

  it('for good, so the history is not read again', async () => {
    const setup = setupOf();
    expect(await setup.codes()).toHaveLength(1);
    await new LoginClient(service).logIn({ username: 'admin', password: firstPassword });
    const read = vi.spyOn(service.store, 'readHistory');
    for (const _ of [1, 2, 3]) expect(await setup.codes()).toEqual([]);
    expect(read).toHaveBeenCalledTimes(1);
  });
});

it('changes of other things leave the setup open', async () => {
  await updateAccount(service, ADMIN_ID, { username: 'root' });
  expect(await outcome(await codeOf())).toBe('token');
});
