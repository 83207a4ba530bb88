import type { LoginProtocol } from '@keyfold/domain';
import { appPasswordHash, newAppPassword } from '@keyfold/security';
import { beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { createAppPassword, revokeSecret } from '../../testing/named-secrets.js';
import { HOUR } from '../../testing/settable-clock.js';
import type { SecurityEvent } from '../security-log/security-log.js';
import { AppPasswordCheck } from './app-password-check.js';
import { appPasswordKind } from '../named-secrets/secret-kinds.js';

/** A use is stored in the background. */
const STORED = { timeout: 30_000 };
const origin = { correlation: 'request-1', address: '192.0.2.7' };

let calls: string[];
let service: EmbeddedService;
let reported: SecurityEvent[];

beforeEach(() => {
  calls = [];
  reported = [];
  service = new EmbeddedService(undefined, (call) => void calls.push(call));
});

/** Checks a text for account 7 and WebDAV. With the protocol `null`, the account may not enter. */
function check(text: string, protocol: LoginProtocol | null = 'webdav', accountId = 7, by = service) {
  const security = { report: (event: SecurityEvent) => void reported.push(event) };
  const appPasswords = new AppPasswordCheck(by.loader, by.clock, by.activity, security);
  const login = { protocol: protocol ?? 'webdav', mayEnter: protocol !== null, origin };
  return appPasswords.check(accountId, appPasswordHash(text)!, login);
}
const lastUseOf = async (id: number) =>
  (await service.activity.lastUsesOfSecrets('app-password', [{ id } as never])).get(id);

describe('an app password', () => {
  it('is accepted for its account and protocol, however it is typed', async () => {
    const { text } = await createAppPassword(service, 7, 'phone');
    for (const typed of [text, text.toUpperCase(), text.replaceAll('-', ''), ` ${text.replaceAll('-', ' ')} `])
      expect(await check(typed)).toBe('accepted');
    expect(await check(text, 'webdav', 8)).toBe('unknown');
    expect(await check(newAppPassword().text)).toBe('unknown');
  });

  it('is accepted among all that an account can have', async () => {
    const created = [];
    for (let n = 0; n < 100; n++) created.push(await createAppPassword(service, 7, `app ${n}`));
    for (const { text } of [created[0]!, created[49]!, created[99]!]) expect(await check(text)).toBe('accepted');
  });

  it.each([
    ['sftp', ['sftp']],
    ['webdav', ['webdav']],
    ['ftp', ['ftp']],
    ['any', ['sftp', 'webdav', 'ftp']],
  ] as const)('for %s opens %j', async (protocol, opened) => {
    const { text } = await createAppPassword(service, 7, 'phone', { protocol });
    const accepted = [];
    for (const wanted of ['sftp', 'webdav', 'ftp'] as const)
      if ((await check(text, wanted)) === 'accepted') accepted.push(wanted);
    expect(accepted).toEqual(opened);
  });

  it('expires on time and not a millisecond earlier', async () => {
    const { text } = await createAppPassword(service, 7, 'phone', { expiresAt: service.clock.now() + HOUR });
    service.clock.advance(HOUR - 1);
    expect(await check(text)).toBe('accepted');
    service.clock.advance(1);
    expect(await check(text)).toBe('refused');
  });

  it('that is refused is reported, and no unknown text', async () => {
    const expiresAt = service.clock.now() + HOUR;
    const { text, id } = await createAppPassword(service, 7, 'phone', { expiresAt });
    await check(newAppPassword().text);
    await check(text);
    expect(reported).toEqual([]);
    await check(text, 'ftp');
    expect(await check(text, null)).toBe('not permitted');
    service.clock.advance(HOUR);
    await check(text);
    await revokeSecret(service, appPasswordKind, 7, id);
    await check(text);
    const about = ['app_password', id];
    const refused = { name: 'authn_token_fail', about, account: 7, outcome: 'refused', origin };
    expect(reported).toEqual([refused, refused, refused, refused]);
  });

  it('is told from an unknown text for 90 days after its revocation', async () => {
    const { text, id } = await createAppPassword(service, 7, 'phone');
    await revokeSecret(service, appPasswordKind, 7, id);
    expect(await check(text, 'webdav', 8)).toBe('unknown');
    service.clock.advance(90 * 24 * HOUR - 1);
    expect(await check(text)).toBe('refused');
    service.clock.advance(1);
    expect(await check(text)).toBe('unknown');
  });

  it('is known to every gateway as soon as one has created it, and refused as soon as one has revoked it', async () => {
    const other = new EmbeddedService(service.folder);
    expect(await check(newAppPassword().text, 'webdav', 7, other)).toBe('unknown');
    const { text, id } = await createAppPassword(service, 7, 'phone');
    expect(await check(text, 'webdav', 7, other)).toBe('accepted');
    expect(await check(text)).toBe('accepted');
    await revokeSecret(other, appPasswordKind, 7, id);
    expect(await check(text)).toBe('refused');
    expect(await check(text, 'webdav', 7, other)).toBe('refused');
  });

  it('costs one round trip to the store and no hash of a password', async () => {
    const { text } = await createAppPassword(service, 7, 'phone');
    await check(text);
    for (const each of [text, newAppPassword().text]) {
      calls.length = 0;
      await check(each);
      expect(calls).toEqual(['EventStore.readStreams']);
    }
  });
});

describe('the last use of an app password', () => {
  it('is unknown before its first use, and a refused use does not count', async () => {
    const { text, id } = await createAppPassword(service, 7, 'phone');
    await check(text, 'ftp');
    expect(await lastUseOf(id)).toBeUndefined();
    await check(text);
    const at = Math.floor(service.clock.now() / 1_000);
    await expect.poll(() => lastUseOf(id), STORED).toBe(at);
  });

  it('is not that of the access token with the same id', async () => {
    const { text, id } = await createAppPassword(service, 7, 'phone');
    await check(text);
    await expect.poll(() => lastUseOf(id), STORED).toBeDefined();
    expect(await service.activity.lastUsesOfSecrets('access-token', [{ id } as never])).toEqual(new Map());
  });
});
