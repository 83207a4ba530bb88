import { DomainError } from '@keyfold/domain';
import { beforeEach, describe, expect, it } from 'vitest';
import { changeAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn, type LoginClient } from '../../testing/login-client.js';
import { MINUTE } from '../../testing/settable-clock.js';
import type { Caller } from '../caller/caller.js';
import { OwnerProof, type Proof } from '../two-factor/owner-proof.js';
import { CreateOwnSecretCommand, CreateOwnSecretHandler } from './own-secrets.js';
import { accessTokenKind, appPasswordKind, type SecretKind } from './secret-kinds.js';

const origin = { correlation: 'request-1', address: '192.0.2.7' };

let service: EmbeddedService;
let client: LoginClient;
/** The calls of ports since the last creation began. */
let calls: string[];
/** Called once, before the next commit is stored. */
let beforeCommit: (() => Promise<unknown>) | undefined;

beforeEach(async () => {
  calls = [];
  beforeCommit = undefined;
  const listener = async (call: string) => {
    calls.push(call);
    if (call !== 'EventStore.append') return;
    const run = beforeCommit;
    beforeCommit = undefined;
    await run?.();
  };
  ({ service, client } = await clientWithAnn(new EmbeddedService(undefined, listener)));
});

async function loggedIn(code?: string): Promise<Caller> {
  const token = await client.logIn(code === undefined ? {} : { code });
  return service.identifier().identify(token, 'account', () => origin);
}

describeKind(accessTokenKind, { scopes: ['profile:read'] });
describeKind(appPasswordKind, { protocol: 'webdav' });

function describeKind<Details>(kind: SecretKind<Details>, details: Details) {
  async function create(caller: Caller, name: string, proof: Partial<Proof> = {}): Promise<string> {
    const { runner, hasher, throttle, sealer, clock } = service;
    const ownerProof = new OwnerProof(hasher, throttle, sealer, client.codes, client.security, clock);
    const handler = new CreateOwnSecretHandler(runner, ownerProof, clock);
    const given = { password: '', code: '', address: '192.0.2.7', ...proof };
    calls = [];
    const input = { name, expiresAt: null, ...details };
    return handler.execute(new CreateOwnSecretCommand(kind, caller, input, given, origin)).then(
      ({ text }) => (text === '' ? 'no text' : 'created'),
      (error: unknown) => {
        if (error instanceof DomainError) return error.code;
        throw error;
      },
    );
  }

  const names = async () => {
    const [{ state }] = await service.loader.load(kind.streamOf(7));
    return state.secrets.map(({ name }) => name);
  };

  describe(`creating a secret of the kind ${kind.name}`, () => {
    it('takes no proof until the login is older than ten minutes', async () => {
      const caller = await loggedIn();
      expect(await create(caller, 'first', { password: 'wrong' })).toBe('created');
      expect(calls).not.toContain('PasswordHasher.verify');
      service.clock.advance(10 * MINUTE);
      expect(await create(caller, 'second')).toBe('created');
      service.clock.advance(1);
      expect(await create(caller, 'third')).toBe('step-up');
      expect(await create(caller, 'third', { code: ' ' })).toBe('step-up');
      expect(await create(await loggedIn(), 'third')).toBe('created');
      expect(await names()).toEqual(['first', 'second', 'third']);
    });

    it('takes the password for each request then', async () => {
      const caller = await loggedIn();
      service.clock.advance(11 * MINUTE);
      expect(await create(caller, 'first', { password: 'wrong' })).toBe('password-wrong');
      expect(await create(caller, 'first', { password: 'right' })).toBe('created');
      expect(await create(caller, 'second')).toBe('step-up');
      expect(await names()).toEqual(['first']);
    });

    it('counts and reports wrong passwords like those of logins', async () => {
      const caller = await loggedIn();
      service.clock.advance(11 * MINUTE);
      for (let n = 0; n < 5; n++) expect(await create(caller, 'x', { password: `wrong ${n}` })).toBe('password-wrong');
      expect(await create(caller, 'x', { password: 'right' })).toBe('too-many-attempts');
      expect(await client.outcome()).toBe('too-many-attempts');
      expect(client.reported.map(({ name }) => name)).toEqual([
        ...Array<string>(5).fill('authn_login_fail'),
        'authn_login_fail_max',
        'authn_login_fail_max',
      ]);
      expect(await names()).toEqual([]);
    });

    it('takes a one-time code, and spends it', async () => {
      await client.enableTwoFactor(7);
      service.clock.advance(MINUTE);
      const caller = await loggedIn(client.code());
      service.clock.advance(11 * MINUTE);
      const code = client.code();
      expect(await create(caller, 'first', { code: client.wrongCode() })).toBe('one-time-code-invalid');
      expect(await create(caller, 'first', { code })).toBe('created');
      expect(await create(caller, 'second', { code })).toBe('one-time-code-invalid');
      expect(await client.outcome({ code })).toBe('one-time-code-invalid-at-login');
      expect(await names()).toEqual(['first']);
    });

    it('takes no code without two-factor', async () => {
      const caller = await loggedIn();
      service.clock.advance(11 * MINUTE);
      expect(await create(caller, 'first', { code: '123456' })).toBe('two-factor-off');
    });

    it('costs neither a hash nor the code if it is refused', async () => {
      await client.enableTwoFactor(7);
      service.clock.advance(MINUTE);
      const caller = await loggedIn(client.code());
      expect(await create(caller, 'first')).toBe('created');
      service.clock.advance(11 * MINUTE);
      expect(await create(caller, 'first', { password: 'right' })).toBe(`${kind.name}-name-taken`);
      expect(calls).not.toContain('PasswordHasher.verify');
      const code = client.code();
      expect(await create(caller, 'first', { code })).toBe(`${kind.name}-name-taken`);
      expect(await create(caller, 'second', { code })).toBe('created');
    });

    it.each([
      ['evicted', 'token-invalidated', () => changeAccount(service, 7, { type: 'EvictSessions', kept: null })],
      ['ended by a new password', 'password-changed', () => updateAccount(service, 7, { password: 'new' })],
      ['refused with its account', 'account-disabled', () => updateAccount(service, 7, { disabled: true })],
    ])('leaves nothing if its session is %s before it is stored', async (_, refusal, end) => {
      const caller = await loggedIn();
      beforeCommit = end;
      expect(await create(caller, 'first')).toBe(refusal);
      expect(await names()).toEqual([]);
    });
  });
}
