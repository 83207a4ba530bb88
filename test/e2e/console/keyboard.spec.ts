import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { adminOf, createAccount, newMember } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { consoleOf, expectHeading, openConsole } from '../../support/browser/console.js';
import { keyLine } from '../../support/key-line.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

const hasFocus = (locator: Locator) => locator.evaluate((element) => element === element.ownerDocument.activeElement);
const expectFocus = (target: Locator) => target.and(target.page().locator(':focus')).waitFor();

/** Presses a key until something has the focus. */
async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor({ state: 'attached' });
  for (let presses = 0; presses < 60 && !(await hasFocus(target)); presses++) await target.page().keyboard.press(key);
  expect(await hasFocus(target), String(target)).toBe(true);
}

/** Goes to a screen by its link. Its heading has the focus. */
async function follow(page: Page, name: string): Promise<void> {
  await tabTo(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expectFocus(page.getByRole('heading', { level: 1, name }));
}

it('somebody without a mouse signs in, manages keys, filters the activity and signs out', async () => {
  await createAccount(admin, 'ann');
  const page = await openConsole(app.baseUrl, '/profile');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const press = (key: string) => page.keyboard.press(key);
  await expectFocus(page.getByLabel('User name'));
  await page.keyboard.type('ann');
  await press('Tab');
  await page.keyboard.type('pw-ann');
  await press('Enter');
  await expectFocus(page.getByRole('heading', { level: 1, name: 'Profile' }));

  const skip = page.getByRole('link', { name: 'Skip to content' });
  await tabTo(skip, 'Shift+Tab');
  expect((await skip.boundingBox())!.x).toBeGreaterThanOrEqual(0);
  await press('Enter');
  await expectFocus(page.getByRole('main'));
  await press('Tab');
  expect(await hasFocus(page.getByRole('main').locator(':focus'))).toBe(true);

  await follow(page, 'SSH keys');
  await tabTo(button('Add a key'));
  await press('Space');
  const dialog = page.getByRole('dialog');
  await tabTo(dialog.getByLabel('Public key'));
  await page.keyboard.type(keyLine('laptop').line);
  await tabTo(dialog.getByLabel('Title'));
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await expectFocus(button('Add a key'));

  await tabTo(button('Change “laptop”'));
  await press('Enter');
  await dialog.waitFor();
  await press('Escape');
  await expectFocus(button('Change “laptop”'));
  await press('Tab');
  await expectFocus(button('Remove “laptop”'));
  await press('Enter');
  await tabTo(dialog.getByRole('button', { name: 'Remove', exact: true }));
  await press('Enter');
  await page.getByText('You have no keys yet.').waitFor();
  // The button that opened the dialog is gone.
  await expectFocus(page.getByRole('heading', { level: 1 }));

  await follow(page, 'Activity');
  const type = page.getByLabel('Type');
  await tabTo(type);
  const types = await type.getByRole('option', { includeHidden: true }).count();
  for (let presses = 0; presses < types && (await type.inputValue()) !== 'ssh-key.removed'; presses++)
    await press('ArrowDown');
  await page.waitForURL('**/activity?type=ssh-key.removed');
  await tabTo(button('Sign out'), 'Shift+Tab');
  await press('Enter');
  await expectFocus(page.getByLabel('User name'));
});

it('a dialog stays until its change is answered', async () => {
  const ben = await newMember(admin, 'ben');
  (await ben.post('/api/me/sshkey/add', { title: 'laptop', key: keyLine('laptop').line })).data();
  const page = await consoleOf(ben, '/keys');
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/me/sshkey/delete*', async (route) => {
    await answered;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Remove “laptop”' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog.locator('[aria-busy=true]').waitFor();
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
  // The browser closes it at the second press, and the page opens it again.
  await dialog.waitFor();
  expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  answer();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('You have no keys yet.').waitFor();
});

it('a session that has ended is signed out of like any other', async () => {
  const cleo = await newMember(admin, 'cleo');
  const page = await consoleOf(cleo, '/profile');
  (await cleo.get('/api/auth/logout')).data();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectHeading(page, 'Sign in');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('alert').count()).toBe(0);
});
