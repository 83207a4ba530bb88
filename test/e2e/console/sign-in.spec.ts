import { describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, adminOf, createAccount } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, NARROW, openPage, takePicture } from '../../support/browser/chromium.js';
import { expectHeading, openConsole, signedInConsole, signIn } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

describe('signing in', () => {
  it('leads to the address that was opened', async () => {
    const page = await openConsole(app.baseUrl, '/profile');
    await expectHeading(page, 'Sign in');
    await expectAccessible(page);
    await takePicture(page, 'sign-in-light');
    await signIn(page, 'admin', ADMIN_PASSWORD);
    await expectHeading(page, 'Profile');
    await expectAccessible(page);
    await takePicture(page, 'profile-light');
  });

  it('shows the refusal of a wrong password in the words of the service', async () => {
    const page = await openConsole(app.baseUrl);
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('Invalid username or password');
  });

  it('works in Chinese, in the dark, on a small screen', async () => {
    const page = await openConsole(app.baseUrl, '/', { locale: 'zh-CN', colorScheme: 'dark', viewport: NARROW });
    await expectHeading(page, '登录');
    await expectAccessible(page);
    await takePicture(page, 'sign-in-chinese-dark-narrow');
  });
});

it('a browser that opens the root gets the console', async () => {
  const page = await openPage(app.baseUrl);
  await expectHeading(page, 'Sign in');
  expect(new URL(page.url()).pathname).toBe('/@account');
});

it('a session that ends in the meantime is renewed in place, and the input stays', async () => {
  const ann = await createAccount(admin, 'ann');
  const page = await signedInConsole(app.baseUrl, 'ann', 'pw-ann', '/profile');
  await page.getByLabel('New user name').fill('anna');
  await page.getByRole('button', { name: 'Change user name' }).click();
  await admin.post('/api/admin/session/evict', { user_id: ann.id });
  await page.getByRole('dialog').getByRole('button', { name: 'Change user name' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByText('token is invalidated').waitFor();
  await expectAccessible(page);
  await again.getByLabel('Password').fill('pw-ann');
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  // The change went through, and the new name needs a new session.
  await again.getByText('Your user name has changed').waitFor();
  expect(await again.getByLabel('User name').inputValue()).toBe('anna');
});
