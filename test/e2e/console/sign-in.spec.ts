import { describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, adminOf, createAccount, newMember } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, NARROW, openPage, takePicture } from '../../support/browser/chromium.js';
import { expectHeading, openConsole, signedInConsole, signIn } from '../../support/browser/console.js';
import { eventually } from '../../support/eventually.js';
import { sharedApp } from '../../support/shared-app.js';
import { enrol } from '../../support/two-factor.js';

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
  });

  it('shows the refusal of a wrong password in the words of the service', async () => {
    const page = await openConsole(app.baseUrl);
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('Invalid username or password');
  });

  it('asks for a code in a field that has the focus, also after a wrong one, and takes a recovery code', async () => {
    const cai = await newMember(admin, 'cai');
    await enrol(cai);
    const created = await cai.post('/api/auth/2fa/recovery_codes', { password: 'pw-cai' });
    const { recovery_codes: codes } = created.data<{ recovery_codes: [string] }>();
    const page = await openConsole(app.baseUrl);
    await page.getByLabel('User name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('cai');
    await page.getByLabel('Password').fill('pw-cai');
    await page.keyboard.press('Enter');
    const code = page.getByLabel('One-time code');
    await code.and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectAccessible(page);
    await takePicture(page, 'sign-in-code');
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).toBe('Invalid 2FA code');
    await code.and(page.locator(':focus')).waitFor();
    expect(await code.inputValue()).toBe('');
    await page.keyboard.type(codes[0].toLowerCase());
    await page.keyboard.press('Enter');
    await expectHeading(page, 'Profile');
  });

  it('counts the seconds until a throttled person may try again', async () => {
    const page = await openConsole(app.baseUrl);
    await page.clock.install();
    const wrong = () => new ApiClient(app.baseUrl).logIn('nobody', 'wrong');
    await eventually(async () => expect((await wrong()).code).toBe(429));
    await page.getByLabel('User name').fill('nobody');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/^Wait .* before the next attempt/).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'sign-in-error');
    await page.clock.fastForward('24:00:00');
    await page.getByText('You can try again now.').waitFor();
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
