import { DomainError } from '@keyfold/domain';
import { StreamLoader } from '@keyfold/projections';
import { accessTokenText, newAccessTokenSecret } from '@keyfold/security';
import { beforeEach, describe, expect, it } from 'vitest';
import { addSshKey, changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { createAccessToken, revokeSecret } from '../../testing/named-secrets.js';
import { HOUR } from '../../testing/settable-clock.js';
import type { SecurityEvent } from '../security-log/security-log.js';
import { accessTokenKind } from '../named-secrets/secret-kinds.js';
import { AccessTokenIdentifier } from './access-token-identifier.js';
import { actorOf, type CallerPart } from './caller.js';

const origin = { correlation: 'request-1', address: '192.0.2.7' };

let calls: string[];
let service: EmbeddedService;
let reported: SecurityEvent[];

beforeEach(async () => {
  calls = [];
  reported = [];
  service = new EmbeddedService(undefined, (call) => void calls.push(call));
  await registerAccount(service, 7, 'ann');
});

const identify = (header: string, part: CallerPart = 'account', by = service) =>
  by.identifier(reported).identify(header, part, () => origin);
const outcomeOf = (header: string, by = service) =>
  identify(header, 'account', by).then(
    ({ by: way }) => `accepted as ${way}`,
    (error: unknown) => (error as DomainError).code,
  );
const expiresIn = (hours: number) => ({ expiresAt: service.clock.now() + hours * HOUR });

describe('an access token', () => {
  it('identifies its account, with and without the word Bearer', async () => {
    const { text, id } = await createAccessToken(service, 7, 'backup', { scopes: ['keys:manage'] });
    for (const header of [text, `Bearer ${text}`]) {
      const caller = await identify(header);
      expect(caller).toMatchObject({
        by: 'access-token',
        account: { accountId: 7, username: 'ann' },
        accessToken: { id, scopes: ['keys:manage'] },
      });
      expect(caller.sessionId).toBeUndefined();
      expect(actorOf(caller)).toBe(`access-token:7:${id}`);
    }
  });

  it('costs one round trip to the store, also with the keys of the account', async () => {
    await addSshKey(service, 7, 'laptop');
    const { text } = await createAccessToken(service, 7, 'backup');
    for (const part of ['account', 'keys'] as const) {
      await identify(text, part);
      calls.length = 0;
      const { keys } = await identify(text, part);
      expect(calls).toEqual(['EventStore.readStreams']);
      expect(keys?.ring.keys.map(({ title }) => title)).toEqual(part === 'keys' ? ['laptop'] : undefined);
    }
  });

  it('costs one more round trip, for documents, on a gateway that does not know its account', async () => {
    const { text } = await createAccessToken(service, 7, 'backup');
    service = new EmbeddedService(service.folder, (call) => void calls.push(call));
    calls.length = 0;
    await identify(text, 'keys');
    expect(calls).toEqual(['ReadModelStore.get', 'EventStore.readStreams']);
  });

  it('with a wrong checksum costs none', async () => {
    const { text } = await createAccessToken(service, 7, 'backup');
    calls.length = 0;
    const other = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
    expect(await outcomeOf(other)).toBe('token-invalidated');
    expect(calls).toEqual([]);
  });

  it('with the id of another token, or of none, is invalidated', async () => {
    const [one, other] = [await createAccessToken(service, 7, 'one'), await createAccessToken(service, 7, 'other')];
    const secretOf = (text: string) => text.slice(12, 39);
    for (const id of [other.id, other.id + 1, 8 * 2 ** 20 + 1, 999_999 * 2 ** 20, 0]) {
      expect(await outcomeOf(accessTokenText(id, secretOf(one.text)))).toBe('token-invalidated');
    }
    expect(await outcomeOf(accessTokenText(one.id, newAccessTokenSecret().secret))).toBe('token-invalidated');
    expect(await outcomeOf(one.text)).toBe('accepted as access-token');
  });

  it('survives a new name, a new password and an eviction', async () => {
    const { text } = await createAccessToken(service, 7, 'backup');
    await updateAccount(service, 7, { username: 'anna', password: 'other' });
    await changeAccount(service, 7, { type: 'EvictSessions', kept: null });
    expect(await identify(text)).toMatchObject({ account: { username: 'anna' } });
  });

  it('expires on time and not a millisecond earlier', async () => {
    const { text } = await createAccessToken(service, 7, 'backup', expiresIn(1));
    service.clock.advance(HOUR - 1);
    expect(await outcomeOf(text)).toBe('accepted as access-token');
    service.clock.advance(1);
    expect(await outcomeOf(text)).toBe('token-expired');
  });

  it('is refused for the first applicable reason', async () => {
    const { text, id } = await createAccessToken(service, 7, 'backup', expiresIn(1));
    await updateAccount(service, 7, { disabled: true });
    expect(await outcomeOf(text)).toBe('account-disabled');
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    expect(await outcomeOf(text)).toBe('account-not-found-for-token');
    service.clock.advance(HOUR);
    expect(await outcomeOf(text)).toBe('token-expired');
    await revokeSecret(service, accessTokenKind, 7, id);
    expect(await outcomeOf(text)).toBe('token-invalidated');
  });

  it('is refused as soon as another gateway has revoked it', async () => {
    const other = new EmbeddedService(service.folder);
    const { text, id } = await createAccessToken(service, 7, 'backup');
    expect(await outcomeOf(text)).toBe('accepted as access-token');
    await revokeSecret(other, accessTokenKind, 7, id);
    expect(await outcomeOf(text)).toBe('token-invalidated');
    expect(service.identifier().identifyCached(text, 'account')).toBeUndefined();
  });

  it('is identified synchronously only while everything about it is cached, and never refused so', async () => {
    const { text } = await createAccessToken(service, 7, 'backup', expiresIn(1));
    const { folder, readModels, clock, activity } = service;
    const identifier = new AccessTokenIdentifier(new StreamLoader(folder.store, readModels), clock, activity);
    expect(identifier.identifyCached(text, 'account')).toBeUndefined();
    await identifier.identify(text, 'account');
    expect(identifier.identifyCached(text, 'account')).toMatchObject({ by: 'access-token' });
    expect(identifier.identifyCached(text, 'keys')).toBeUndefined();
    service.clock.advance(HOUR);
    expect(identifier.identifyCached(text, 'account')).toBeUndefined();
  });

  it('that is unknown is reported to the security log without any part of its text', async () => {
    const { text } = await createAccessToken(service, 7, 'backup', expiresIn(1));
    await outcomeOf(text);
    const unknown = accessTokenText(7 * 2 ** 20 + 2, newAccessTokenSecret().secret);
    await outcomeOf(unknown);
    service.clock.advance(HOUR);
    await outcomeOf(text);
    expect(reported).toEqual([{ name: 'authn_token_fail', about: ['access'], outcome: 'refused', origin }]);
  });
});
