import { accountStream } from '@keyfold/projections';
import { newRecoveryCodes, recoveryCodeHashes } from '@keyfold/security';
import { describe, expect, it } from 'vitest';
import { changeAccount } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn, LoginClient } from '../../testing/login-client.js';
import { sealingContext } from '../secrets/sealing.js';

const MINUTE = 60_000;
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Gives account 7 two-factor and recovery codes. */
async function withCodes(service = new EmbeddedService()) {
  const { client } = await clientWithAnn(service);
  await client.enableTwoFactor(7);
  return { service, client, codes: await generate(service) };
}

async function generate(service: EmbeddedService): Promise<string[]> {
  const codes = newRecoveryCodes();
  const sealedCodes = service.sealer.seal(recoveryCodeHashes(codes), sealingContext.recoveryCodes(7));
  await changeAccount(service, 7, { type: 'GenerateRecoveryCodes', sealedCodes, count: codes.length });
  return codes;
}

async function twoFactorOf({ loader }: EmbeddedService) {
  const [{ state }] = await loader.load(accountStream(7));
  return state.twoFactor!;
}

describe('a recovery code', () => {
  it('is accepted instead of a one-time code, once', async () => {
    const { service, client, codes } = await withCodes();
    expect(await client.outcome({ code: codes[0]! })).toBe('token');
    expect(await client.outcome({ code: codes[0]! })).toBe('one-time-code-invalid-at-login');
    expect(await client.outcome({ code: codes[1]!.toLowerCase().replaceAll('-', ' ') })).toBe('token');
    expect((await twoFactorOf(service)).recoveryCodes?.unused).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(client.attempts).toMatchObject({ 'one_time_code accepted': 2, 'one_time_code refused': 1 });
  });

  it('works once in 100 parallel logins through two gateways', async () => {
    const folder = new EmbeddedFolder();
    const { service, client, codes } = await withCodes(new EmbeddedService(folder));
    const clients = [client, new LoginClient(new EmbeddedService(folder))];
    const outcomes = await Promise.all(
      times(100).map((n) => clients[n % 2]!.outcome({ code: codes[0]!, address: `198.51.${n}.1` })),
    );
    expect(outcomes.filter((outcome) => outcome === 'token')).toHaveLength(1);
    const others = new Set(outcomes.filter((outcome) => outcome !== 'token'));
    expect([...others].toSorted()).toEqual(
      ['one-time-code-invalid-at-login', 'too-many-attempts'].filter((code) => others.has(code)),
    );
    expect(others).toContain('one-time-code-invalid-at-login');
    expect((await twoFactorOf(service)).recoveryCodes?.unused).toHaveLength(9);
  });

  it('that was replaced or never existed is refused, and counts like a one-time code', async () => {
    const { service, client, codes } = await withCodes();
    await generate(service);
    expect(await client.outcome({ code: codes[0]! })).toBe('one-time-code-invalid-at-login');
    for (const code of newRecoveryCodes().slice(0, 4))
      expect(await client.outcome({ code })).toBe('one-time-code-invalid-at-login');
    expect(await client.outcome({ code: client.code() })).toBe('too-many-attempts');
  });

  it('is useless without the password', async () => {
    const { service, client, codes } = await withCodes();
    expect(await client.outcome({ password: 'wrong', code: codes[0]! })).toBe('invalid-credentials');
    expect((await twoFactorOf(service)).recoveryCodes?.unused).toHaveLength(10);
  });

  it('lifts the lock of one-time codes', async () => {
    const { service, client, codes } = await withCodes();
    await changeAccount(service, 7, { type: 'LockTwoFactor', failures: 100 });
    const address = '203.0.113.9';
    expect(await client.outcome({ code: client.code(), address })).toBe('one-time-code-locked');
    expect(await client.outcome({ code: codes[0]!, address })).toBe('token');
    expect((await twoFactorOf(service)).locked).toBe(false);
    service.clock.advance(MINUTE);
    expect(await client.outcome({ code: client.code(), address: '203.0.113.10' })).toBe('token');
  });

  it('of an account without any is a wrong code', async () => {
    const { client } = await clientWithAnn();
    await client.enableTwoFactor(7);
    expect(await client.outcome({ code: newRecoveryCodes()[0]! })).toBe('one-time-code-invalid-at-login');
  });
});
