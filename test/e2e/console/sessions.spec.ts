import { expect, it } from 'vitest';
import { adminOf, newMember, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { expectHeading, signedInConsole } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';
const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const isRefused = async (client: ApiClient) => (await client.get('/api/me')).code === 401;

it('a person sees where they are signed in, and ends one session, then all others', async () => {
  const first = await newMember(admin, 'ann');
  const phone = await signedInAs(api.with({ 'user-agent': SAFARI }), 'ann');
  const curl = await signedInAs(api.with({ 'user-agent': 'curl/8.14.1' }), 'ann');
  const page = await signedInConsole(app.baseUrl, 'ann', 'pw-ann', '/sessions');
  const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text });
  await rowOf('Safari 18 on iPhone').waitFor();
  await rowOf('Unknown program').waitFor();
  expect(await rowOf('this one').innerText()).toMatch(/Chrome \d+ on Linux[^]*127\.0\.0\.1[^]*password/);
  await page.getByRole('button', { name: /^End the session on curl 8\.14\.1 from [\d.]+$/ }).click();
  const dialog = page.getByRole('dialog');
  await expectAccessible(page);
  await takePicture(page, 'sessions-end');
  await dialog.getByRole('button', { name: 'End', exact: true }).click();
  await rowOf('curl').waitFor({ state: 'detached' });
  expect([await isRefused(curl), await isRefused(phone)]).toEqual([true, false]);

  await page.getByRole('button', { name: 'End all others' }).click();
  await dialog.getByRole('button', { name: 'End all others' }).click();
  await rowOf('Safari').waitFor({ state: 'detached' });
  expect(await rowOf('this one').count()).toBe(1);
  expect(await page.getByRole('button', { name: 'End all others' }).count()).toBe(0);
  expect([await isRefused(first), await isRefused(phone)]).toEqual([true, true]);
});

it('ending the session in use leads to the sign-in', async () => {
  await newMember(admin, 'bob');
  const page = await signedInConsole(app.baseUrl, 'bob', 'pw-bob', '/sessions');
  await page.getByRole('button', { name: /^End the session on Chrome/ }).click();
  await page.getByText('you will be signed out here').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
  await expectHeading(page, 'Sign in');
});
