import type { FileProtocol } from '@keyfold/domain';
import { newAppPassword } from '@keyfold/security';
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

function find(text: string, protocol: FileProtocol = 'webdav', accountId = 7, by = service) {
  const security = { report: (event: SecurityEvent) => void reported.push(event) };
  const check = new AppPasswordCheck(by.loader, by.clock, by.activity, security);
  return check.find(accountId, protocol, text, origin);
}
const lastUseOf = async (id: number) =>
  (await service.activity.lastUsesOfSecrets('app-password', [{ id } as never])).get(id);

describe('an app password', () => {
  it('is found for its account and protocol, however it is typed', async () => {
    const { text, id } = await createAppPassword(service, 7, 'phone');
    for (const typed of [text, text.toUpperCase(), text.replaceAll('-', ''), ` ${text.replaceAll('-', ' ')} `])
      expect(await find(typed)).toEqual({ id, name: 'phone' });
    expect(await find(text, 'webdav', 8)).toBeUndefined();
    expect(await find(newAppPassword().text)).toBeUndefined();
  });

  it('is found among all that an account can have', async () => {
    const created = [];
    for (let n = 0; n < 100; n++) created.push(await createAppPassword(service, 7, `app ${n}`));
    for (const { text, id } of [created[0]!, created[49]!, created[99]!])
      expect(await find(text)).toMatchObject({ id });
  });

  it.each([
    ['sftp', ['sftp']],
    ['webdav', ['webdav']],
    ['ftp', ['ftp']],
    ['any', ['sftp', 'webdav', 'ftp']],
  ] as const)('for %s opens %j', async (protocol, opened) => {
    const { text } = await createAppPassword(service, 7, 'phone', { protocol });
    const found = [];
    for (const wanted of ['sftp', 'webdav', 'ftp'] as const) if (await find(text, wanted)) found.push(wanted);
    expect(found).toEqual(opened);
  });

  it('expires on time and not a millisecond earlier', async () => {
    const { text } = await createAppPassword(service, 7, 'phone', { expiresAt: service.clock.now() + HOUR });
    service.clock.advance(HOUR - 1);
    expect(await find(text)).toBeDefined();
    service.clock.advance(1);
    expect(await find(text)).toBeUndefined();
  });

  it('that is right but expired or for another protocol is reported, and no other', async () => {
    const expiresAt = service.clock.now() + HOUR;
    const { text, id } = await createAppPassword(service, 7, 'phone', { expiresAt });
    await find(newAppPassword().text);
    await find('correct horse battery staple');
    await find(text);
    expect(reported).toEqual([]);
    await find(text, 'ftp');
    service.clock.advance(HOUR);
    await find(text);
    const about = ['app_password', id];
    const refused = { name: 'authn_token_fail', about, account: 7, outcome: 'refused', origin };
    expect(reported).toEqual([refused, refused]);
  });

  it('is known to every gateway as soon as one has created it, and refused as soon as one has revoked it', async () => {
    const other = new EmbeddedService(service.folder);
    expect(await find(newAppPassword().text, 'webdav', 7, other)).toBeUndefined();
    const { text, id } = await createAppPassword(service, 7, 'phone');
    expect(await find(text, 'webdav', 7, other)).toBeDefined();
    expect(await find(text)).toBeDefined();
    await revokeSecret(other, appPasswordKind, 7, id);
    expect(await find(text)).toBeUndefined();
    expect(await find(text, 'webdav', 7, other)).toBeUndefined();
  });

  it('costs one round trip to the store and no hash of a password', async () => {
    const { text } = await createAppPassword(service, 7, 'phone');
    await find(text);
    for (const each of [text, newAppPassword().text]) {
      calls.length = 0;
      await find(each);
      expect(calls).toEqual(['EventStore.readStreams']);
    }
  });

  it.each(['', 'correct horse battery staple', '123456', 'x'.repeat(4_096), '7k3m-9qxa-0b2c-d4ef'])(
    'is not looked up for %j, which does not have its form',
    async (text) => {
      await createAppPassword(service, 7, 'phone');
      calls.length = 0;
      expect(await find(text)).toBeUndefined();
      expect(calls).toEqual([]);
    },
  );
});

describe('the last use of an app password', () => {
  it('is unknown before its first use, and a refused use does not count', async () => {
    const { text, id } = await createAppPassword(service, 7, 'phone');
    await find(text, 'ftp');
    expect(await lastUseOf(id)).toBeUndefined();
    await find(text);
    const at = Math.floor(service.clock.now() / 1_000);
    await expect.poll(() => lastUseOf(id), STORED).toBe(at);
  });

  it('is not that of the access token with the same id', async () => {
    const { text, id } = await createAppPassword(service, 7, 'phone');
    await find(text);
    await expect.poll(() => lastUseOf(id), STORED).toBeDefined();
    expect(await service.activity.lastUsesOfSecrets('access-token', [{ id } as never])).toEqual(new Map());
  });
});
