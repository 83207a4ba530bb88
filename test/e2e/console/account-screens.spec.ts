import { expect, it } from 'vitest';
import { newAccessToken } from '../../support/access-tokens.js';
import { adminOf, newMember, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { newAppPassword } from '../../support/app-passwords.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectText } from '../../support/browser/console.js';
import { expectEveryLook, expectUnreachable, screens } from '../../support/browser/screens.js';
import { keyLine } from '../../support/key-line.js';
import { sharedApp } from '../../support/shared-app.js';
import { enrol } from '../../support/two-factor.js';

/** The texts of each screen when it has much to show and when it has nothing. Some never have nothing, some read nothing. */
const TEXTS: Readonly<Record<string, Readonly<{ full: string; empty?: string; reads: boolean }>>> = {
  '/profile': { full: 'Read over WebDAV', reads: false },
  '/security': { full: 'You have 10 unused recovery codes.', reads: false },
  '/keys': { full: 'laptop', empty: 'You have no keys yet.', reads: true },
  '/sessions': { full: 'Unknown program', reads: true },
  '/secrets': { full: 'phone', empty: 'You have no access tokens.', reads: true },
  '/activity': { full: 'workstation at the office', reads: true },
};

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const nobody = await newMember(admin, 'new');

await admin.post('/api/admin/user/create', {
  username: 'ann',
  password: 'pw-ann',
  base_path: '/home/ann',
  permission: 0x3ff,
});
const ann = await signedInAs(api, 'ann');
const everything = async () => {
  for (const title of ['laptop', 'workstation at the office', 'backup'])
    (await ann.post('/api/me/sshkey/add', { title, key: keyLine(title).line, expires: '2030-01-31T12:00:00Z' })).data();
  await newAccessToken(ann, ['profile:read', 'keys:manage'], {
    name: 'backup script',
    expires: '2030-01-31T12:00:00Z',
  });
  await newAccessToken(ann, ['profile:read'], { name: 'status page' });
  await newAppPassword(ann, { name: 'phone', protocol: 'webdav' });
  await newAppPassword(ann, { name: 'laptop', expires: '2030-01-31T12:00:00Z' });
  for (const program of [
    'curl/8.14.1',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
  ])
    await signedInAs(api.with({ 'user-agent': program }), 'ann');
  await enrol(ann);
  (await ann.post('/api/auth/2fa/recovery_codes', { password: 'pw-ann' })).data();
};
await everything();

it.each(screens.filter(({ people }) => people === 'everybody'))(
  '$name is accessible and complete in every look and size',
  async ({ path, name }) => {
    const { full, empty, reads } = TEXTS[path]!;
    const page = await consoleOf(ann, path);
    await expectText(page, full);
    await expectEveryLook(page, name);
    if (reads) await expectUnreachable(page, name);
    if (empty === undefined) return;
    const other = await consoleOf(nobody, path);
    await expectText(other, empty);
    await expectAccessible(other);
    await takePicture(other, `${name}-empty`);
  },
);

it('every screen of everybody is among them', () => {
  expect(Object.keys(TEXTS)).toEqual(screens.filter(({ people }) => people === 'everybody').map(({ path }) => path));
});
