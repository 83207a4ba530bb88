import { describe, expect, it } from 'vitest';
import { accountNamed, adminOf, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, expectNoOverflow, NARROW, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectHeading, expectText, goTo } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));
const accountOf = async (id: number) =>
  (await admin.get(`/api/admin/user/get?id=${id}`)).data<Record<string, unknown>>();

describe('the list of accounts', () => {
  it('is searched, sorted and read in pages by its address', async () => {
    const names = Array.from({ length: 27 }, (_, index) => `page-${index + 10}`);
    await Promise.all(names.map((username) => admin.post('/api/admin/user/create', { username, password: '' })));
    const page = await consoleOf(admin, '/accounts?search=PAGE-');
    await expectText(page, '27 accounts');
    expect(await page.getByRole('row').count()).toBe(26);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    expect(page.url()).toContain('page=2');
    await page.getByLabel('Order').selectOption('Newest first');
    await page.getByText('Page 1 of 2').waitFor();
    await page.getByLabel('Search by name').fill('page-27');
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByLabel('Search by name').fill('nobody has this');
    await expectText(page, 'No name contains this text.');
  });

  it('leads to a new account with a generated password', async () => {
    const page = await consoleOf(admin, '/accounts');
    const create = page.getByRole('button', { name: 'Create account' });
    await create.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User name').fill('admin');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await dialog.getByText('user name already exists').waitFor();
    await takePicture(page, 'new-account-error');
    await expectAccessible(page);
    await dialog.getByLabel('User name').fill('new');
    await dialog.getByLabel('Folder', { exact: true }).fill('/home/new');
    await dialog.getByLabel('Read over WebDAV').check();
    await dialog.getByLabel('Delete', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Create account' }).click();
    const password = await dialog.getByLabel('New password').textContent();
    await expectAccessible(page);
    await takePicture(page, 'new-account-password');
    await dialog.getByLabel('I have saved it').check();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expectHeading(page, 'new');
    const { id } = await accountNamed(admin, 'new');
    expect(new URL(page.url()).pathname).toBe(`/@account/accounts/${id}`);
    expect(await accountOf(id)).toMatchObject({ base_path: '/home/new', permission: 0x180, role: 0, disabled: false });
    expect((await new ApiClient(app.baseUrl).logIn('new', password!)).code).toBe(200);
  });

  it('leads to a new account with the password that was typed', async () => {
    // A long name must not widen the page.
    const name = `typed-${'x'.repeat(100)}`;
    const page = await consoleOf(admin, '/accounts?sort=-id', { colorScheme: 'dark', viewport: NARROW });
    await page.getByRole('button', { name: 'Create account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('User name').fill(name);
    await dialog.getByLabel('Generate a password').uncheck();
    await dialog.getByLabel('New password').fill(`pw-${name}`);
    await expectAccessible(page);
    await takePicture(page, 'new-account-dark-narrow');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await expectHeading(page, name);
    await expectNoOverflow(page);
    await signedInAs(new ApiClient(app.baseUrl), name);
    await goTo(page, 'Accounts');
    await expectNoOverflow(page);
  });
});
