import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccessToken } from '../../support/access-tokens.js';
import { adminOf, createAccount, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectText, openAddress } from '../../support/browser/console.js';
import { expectEveryLook, expectUnreachable, screens } from '../../support/browser/screens.js';
import { keyLine } from '../../support/key-line.js';
import { sharedApp } from '../../support/shared-app.js';

const EXAMPLES = resolve(import.meta.dirname, '../../../apps/gateway/src/openapi/operation-examples.json');
const examples = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Record<string, { success: { data: object } }>;

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const { id } = await createAccount(admin, 'ann', { base_path: '/home/ann', permission: 0x3ff });
const ann = await signedInAs(api.with({ 'user-agent': 'curl/8.14.1' }), 'ann');
for (const title of ['laptop', 'workstation at the office'])
  (await ann.post('/api/me/sshkey/add', { title, key: keyLine(title).line })).data();
await newAccessToken(ann, ['profile:read', 'keys:manage'], { name: 'backup script' });
const others = Array.from({ length: 30 }, (_, index) => `member-${index + 10}`);
await Promise.all(
  others.map((username, index) =>
    admin.post('/api/admin/user/create', {
      username,
      password: '',
      role: 0,
      base_path: `/home/${username}`,
      disabled: index % 7 === 3,
    }),
  ),
);

/** Answers like a site that has logins, a reader that lags, an OpenList that does not answer, and parked things. */
const busySite = async (page: Page) => {
  const overview = examples['getOverview']!.success;
  const logins = Array.from({ length: 24 }, (_, hour) => ({
    hour: `2026-01-15T${String(hour).padStart(2, '0')}:00:00.000Z`,
    accepted: (hour * 7) % 11,
    refused: hour % 6 === 4 ? 3 : 0,
  }));
  const answers = {
    '/api/admin/overview': { ...overview, data: { ...overview.data, logins } },
    '/api/admin/parked': examples['listParked']!.success,
  };
  for (const [path, json] of Object.entries(answers))
    await page.route(
      ({ pathname }) => pathname === path,
      (route) => route.fulfill({ json }),
    );
  await page.reload();
};

/** The texts of each screen when it has much to show, and where it has nothing. */
const TEXTS: Readonly<
  Record<
    string,
    Readonly<{
      full: string | RegExp;
      rest?: string;
      empty?: string;
      emptyAt?: string;
      fill?: (page: Page) => Promise<void>;
    }>
  >
> = {
  overview: { full: 'unknown event AccountArchived', empty: 'Nothing is parked.', emptyAt: '', fill: busySite },
  account: { full: 'workstation at the office', rest: `/${id}` },
  accounts: { full: /member-\d\d/, empty: 'No name contains this text.', emptyAt: '?search=nobody' },
  access: { full: /curl.8\.14\.1/, empty: 'No account has an app password.', emptyAt: '?show=passwords' },
  settings: { full: 'Site title' },
};

it.each(screens.filter(({ people }) => people === 'administrators'))(
  '$name is accessible and complete in every look and size',
  async ({ path, name }) => {
    const { full, rest = '', empty, emptyAt, fill } = TEXTS[name]!;
    const page = await consoleOf(admin, `${path}${rest}`);
    if (empty !== undefined) {
      await openAddress(page, `${path}${emptyAt}`);
      await expectText(page, empty);
      await expectAccessible(page);
      await takePicture(page, `${name}-empty`);
      await openAddress(page, path);
    }
    await fill?.(page);
    await expectText(page, full);
    await expectEveryLook(page, name);
    await expectUnreachable(page, name);
  },
);

it('every screen of administrators is among them', () => {
  const names = screens.filter(({ people }) => people === 'administrators').map(({ name }) => name);
  expect(Object.keys(TEXTS)).toEqual(names);
});
