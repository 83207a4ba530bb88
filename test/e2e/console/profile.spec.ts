import { expect, it } from 'vitest';
import { adminOf, createAccount } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { signedInConsole } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

it('the profile names role, folder, permissions and the id of single sign-on', async () => {
  const permission = (1 << 3) | (1 << 10);
  const { id } = await createAccount(admin, 'ann', { permission, base_path: '/home/ann', sso_id: 'ann@example' });
  const page = await signedInConsole(app.baseUrl, 'ann', 'pw-ann', '/profile');
  const facts = await page.locator('dl').innerText();
  for (const fact of ['ann', String(id), 'General', 'Off', 'ann@example', '/home/ann']) expect(facts).toContain(fact);
  expect(await page.locator('dl li').allTextContents()).toEqual([
    'Create folders and upload',
    'Read over FTP and SFTP',
  ]);
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Password and two-factor' }).waitFor();
});

it('a user name is changed after a question, and an account without permissions says so', async () => {
  await createAccount(admin, 'ben');
  const page = await signedInConsole(app.baseUrl, 'ben', 'pw-ben', '/profile');
  await page.getByText('None', { exact: true }).waitFor();
  await page.getByLabel('New user name').fill('admin');
  await page.getByRole('button', { name: 'Change user name' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change user name' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await takePicture(page, 'profile-error');
  await page.keyboard.press('Escape');
  await page.getByLabel('New user name').fill('bernd');
  await page.getByRole('button', { name: 'Change user name' }).click();
  const question = page.getByRole('dialog', { name: 'Change your user name to “bernd”?' });
  await question.getByText('signs you out everywhere').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Change user name' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'Change user name' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByLabel('Password').fill('pw-ben');
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await page.locator('dl').getByText('bernd').waitFor();
});
