import { expect, it } from 'vitest';
import { adminOf, createAccount } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectHeading } from '../../support/browser/console.js';
import { newKeyLine } from '../../support/key-line.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
await createAccount(admin, 'ann');
const ann = await api.signedIn('ann', 'pw-ann');

const open = (show: string) => consoleOf(admin, `/access?show=${show}`);

it('an administrator ends a session of somebody else', async () => {
  const page = await open('sessions');
  await expectHeading(page, 'Access');
  const row = page.getByRole('row').filter({ hasText: 'ann' });
  await row.getByRole('button', { name: /^End the session of ann on .+ from 127\.0\.0\.1$/ }).click();
  await page.getByRole('dialog', { name: 'End the session of ann' }).getByText('ann has to sign in again').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await expect.poll(() => row.count()).toBe(0);
  expect((await ann.get('/api/me')).outcome).toBe('401 token is invalidated');
});

it('secrets of everybody are listed and revoked', async () => {
  const owner = await api.signedIn('ann', 'pw-ann');
  const { token } = (await owner.post('/api/me/tokens', { name: 'script', scopes: ['keys:manage'] })).data<{
    token: string;
  }>();
  await owner.post('/api/me/app_passwords', { name: 'phone', protocol: 'webdav' });
  const page = await open('passwords');
  await page.getByText('phone').waitFor();
  await page.getByRole('link', { name: 'Access tokens' }).click();
  await page.getByRole('button', { name: 'Revoke “script” of ann' }).click();
  await page.getByRole('dialog', { name: 'Revoke “script” of ann' }).waitFor();
  await expectAccessible(page);
  await takePicture(page, 'access-revoke');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No account has an access token.').waitFor();
  expect((await api.with({ authorization: token }).get('/api/me/sshkey/list')).code).toBe(401);
});

it('the owners of a key are found by its fingerprint', async () => {
  const { line, fingerprint } = newKeyLine();
  const owner = await api.signedIn('ann', 'pw-ann');
  await owner.post('/api/me/sshkey/add', { title: 'laptop', key: line });
  const page = await open('keys');
  await page.getByLabel('Fingerprint').fill(fingerprint);
  await page.getByRole('button', { name: 'Find owners' }).click();
  await page.getByRole('row').filter({ hasText: 'laptop' }).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Fingerprint').fill('SHA256:unknown');
  await page.getByRole('button', { name: 'Find owners' }).click();
  expect(await page.getByRole('alert').textContent()).not.toBe('');
});
