import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ADMIN_PASSWORD, adminOf, newMember } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, NARROW, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectHeading, expectText, openConsole } from '../../support/browser/console.js';
import { loggedInBefore } from '../../support/past-login.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

it('an access token is shown once, does what was allowed, and is revoked', async () => {
  const ann = await newMember(admin, 'ann');
  const page = await consoleOf(ann, '/secrets');
  await expectText(page, 'You have no access tokens.');
  await expectText(page, 'You have no app passwords.');

  const open = page.getByRole('button', { name: 'Create an access token' });
  await open.click();
  const dialog = page.getByRole('dialog');
  const create = dialog.getByRole('button', { name: 'Create an access token' });
  await dialog.getByLabel('Name').fill('backup');
  expect(await create.isDisabled()).toBe(true);
  expect(await dialog.getByRole('checkbox').count()).toBe(4);
  await dialog.getByLabel('Read my account').check();
  await dialog.getByLabel('Expires').fill('2030-01-31');
  await expectAccessible(page);
  await takePicture(page, 'secrets-create');
  await create.click();

  const token = await dialog.getByLabel('New access token', { exact: true }).locator('visible=true').innerText();
  expect((await api.as(token.trim()).get('/api/me')).data()).toMatchObject({ username: 'ann' });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  // The browser closes it at the second press, and the page opens it again.
  await dialog.getByText(token).waitFor();
  await expectAccessible(page);
  await takePicture(page, 'secrets-once');
  await dialog.getByLabel('I have saved it').check();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => open.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
  await rowOf(page, 'backup').getByText('Read my account').waitFor();
  expect((await ann.get('/api/me/tokens')).data()).toMatchObject([{ expires: expect.stringMatching('^2030-01-31') }]);

  await open.click();
  await dialog.getByLabel('Name').fill('backup');
  await dialog.getByLabel('Read my account').check();
  await create.click();
  await dialog.getByText('an access token with the same name already exists').waitFor();
  await expectAccessible(page);
  await takePicture(page, 'secrets-refused');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Revoke “backup”' }).click();
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expectText(page, 'You have no access tokens.');
  expect((await api.as(token.trim()).get('/api/me')).code).toBe(401);
});

it('an app password opens what was chosen, on a small screen in the dark', async () => {
  const bob = await newMember(admin, 'bob');
  const look = { colorScheme: 'dark', viewport: NARROW } as const;
  const page = await consoleOf(bob, '/secrets', look);
  await page.getByRole('button', { name: 'Create an app password' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('phone');
  await dialog.getByLabel('For').selectOption('WebDAV');
  await dialog.getByRole('button', { name: 'Create an app password' }).click();
  await dialog.getByLabel('I have saved it').check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await rowOf(page, 'phone').waitFor();
  expect((await bob.get('/api/me/app_passwords')).data()).toMatchObject([
    { name: 'phone', protocol: 'webdav', expires: null },
  ]);
});

it('an old session has to prove itself, and the input stays', async () => {
  const old = await loggedInBefore(app, 11);
  const page = await openConsole(app.baseUrl, '/secrets');
  await page.evaluate(`sessionStorage.setItem('keyfold-token', '${old.token}')`);
  await page.reload();
  await expectHeading(page, 'Tokens and app passwords');
  await page.getByRole('button', { name: 'Create an access token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('audit');
  // Only administrators can give this one.
  await dialog.getByLabel('Read the sessions and the activity of everybody').check();
  await dialog.getByLabel('Name').press('Enter');
  await dialog.getByText('You signed in more than 10 minutes ago.').waitFor();
  await expectAccessible(page);
  await takePicture(page, 'secrets-step-up');
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await dialog.getByText('the password is wrong').waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.getByLabel('I have saved it').waitFor();
  expect((await old.get('/api/me/tokens')).data()).toMatchObject([{ name: 'audit', scopes: ['accounts:audit'] }]);
});
