import { expect, it } from 'vitest';
import { adminOf } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, type Look, NARROW } from '../../support/browser/chromium.js';
import { consoleOf, expectHeading } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

const setting = async (key: string) =>
  (await admin.get(`/api/admin/setting/get?key=${key}`)).data<{ value: string }>().value;
const open = (path: string, look?: Look) => consoleOf(admin, path, look);

it('changes are reviewed, saved, and only those', async () => {
  const page = await open('/settings');
  await expectHeading(page, 'Settings');
  await page.getByLabel('Site title').fill('Ours');
  await page.getByLabel('Allow indexed').check();
  await page.getByRole('button', { name: 'Review changes' }).click();
  const review = page.getByRole('dialog', { name: 'Save 2 changes?' });
  expect(await review.getByRole('deletion').allTextContents()).toEqual(['OpenList', 'false']);
  expect(await review.getByRole('insertion').allTextContents()).toEqual(['Ours', 'true']);
  await expectAccessible(page);
  const [request] = await Promise.all([
    page.waitForRequest('**/api/admin/setting/save'),
    review.getByRole('button', { name: 'Save' }).click(),
  ]);
  expect(request.postDataJSON()).toEqual([
    { key: 'site_title', value: 'Ours' },
    { key: 'allow_indexed', value: 'true' },
  ]);
  await page.getByText('Saved.', { exact: true }).waitFor();
  expect(await setting('site_title')).toBe('Ours');
});

it('cancelling a review keeps the input and changes nothing', async () => {
  const page = await open('/settings?show=2');
  const before = await setting('main_color');
  await page.getByLabel('Main color').fill('#123456');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByLabel('Main color').inputValue()).toBe('#123456');
  expect(await setting('main_color')).toBe(before);
});

it('secrets are hidden, and every group fits a small dark screen', async () => {
  const page = await open('/settings?show=9', { viewport: NARROW, colorScheme: 'dark' });
  await page.getByLabel('S3 secret access key').fill('hidden-from-others');
  expect(await page.getByLabel('S3 secret access key').getAttribute('type')).toBe('password');
  await page.getByRole('button', { name: 'Review changes' }).click();
  expect(await page.getByRole('dialog').textContent()).not.toContain('hidden-from-others');
  await page.keyboard.press('Escape');
  for (const group of ['Preview', 'Single sign-on', 'Traffic']) {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: group }).click();
    await page.getByRole('button', { name: 'Review changes' }).waitFor();
    await expectAccessible(page);
  }
});

it('the static token is shown on demand and reset after a question', async () => {
  const page = await open('/settings?show=token');
  const before = await setting('token');
  await page.getByRole('button', { name: 'Show the token' }).click();
  await page.getByText(before).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Reset the token' }).click();
  await page.getByRole('dialog').getByText('stops working at once').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset the token' }).click();
  await expect.poll(() => setting('token')).not.toBe(before);
});
