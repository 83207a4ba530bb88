import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, adminOf, createAccount, newMember, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectHeading, expectText } from '../../support/browser/console.js';
import { keyLine } from '../../support/key-line.js';
import { sharedApp } from '../../support/shared-app.js';
import { enrol } from '../../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const opened = async (id: number, as = admin) => consoleOf(as, `/accounts/${id}`);
const accountOf = async (id: number) => (await admin.get(`/api/admin/user/get?id=${id}`)).data<object>();
const replace = async (id: number, changes: object) =>
  (await admin.post('/api/admin/user/update', { ...(await accountOf(id)), ...changes })).data();

describe('the account of somebody', () => {
  it('is edited, and keeps everything that the form does not show', async () => {
    const { id } = await createAccount(admin, 'ann', { permission: 1 << 20, disabled: true });
    await replace(id, { allow_ldap: false, sso_id: 'ann@sso' });
    const page = await opened(id);
    await expectHeading(page, 'ann');
    await page.getByLabel('User name').fill('anna');
    await page.getByLabel('Folder', { exact: true }).fill('/home/anna');
    await page.getByLabel('Write over FTP and SFTP').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expectHeading(page, 'anna');
    await page.getByText('Saved.').waitFor();
    expect(await accountOf(id)).toEqual({
      id,
      username: 'anna',
      password: '',
      base_path: '/home/anna',
      role: 0,
      disabled: true,
      permission: (1 << 20) | (1 << 11),
      sso_id: 'ann@sso',
      allow_ldap: false,
    });
    await page.getByLabel('User name').fill('admin');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('user name already exists').waitFor();
    await takePicture(page, 'account-refused');
  });

  it('shows a change that somebody else makes in the meantime before it overwrites it', async () => {
    const { id } = await createAccount(admin, 'shared');
    const page = await opened(id);
    await expectHeading(page, 'shared');
    await replace(id, { permission: 2, base_path: '/theirs' });
    await page.getByLabel('Folder', { exact: true }).fill('/mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has just changed this account: folder.').waitFor();
    await expectAccessible(page);
    expect(await page.getByLabel('Folder', { exact: true }).inputValue()).toBe('/mine');
    expect(await page.getByLabel('Skip folder passwords').isChecked()).toBe(true);
    expect(await accountOf(id)).toMatchObject({ permission: 2, base_path: '/theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await accountOf(id)).toMatchObject({ permission: 2, base_path: '/mine' });
  });

  it('gets a new password, and loses sessions, tokens and app passwords', async () => {
    const member = await newMember(admin, 'ben');
    const { id } = (await member.get('/api/me')).data<{ id: number }>();
    const page = await opened(id);
    await page.getByLabel('Also revoke all access tokens and app passwords').check();
    await page.getByRole('button', { name: 'Set password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Password of ben' });
    const password = (await dialog.getByLabel('New password').textContent())!;
    expect(await dialog.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true);
    await dialog.getByLabel('I have saved it').check();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect((await member.get('/api/me')).outcome).toBe('401 Password has been changed, login please');
    const again = await api.from('172.21.0.1').signedIn('ben', password);
    await page.getByRole('button', { name: 'Revoke everything' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke everything' }).click();
    await page.getByText('Done.').waitFor();
    expect((await again.get('/api/me')).outcome).toBe('401 token is invalidated');
  });

  it('loses two-factor, is disabled and enabled again', async () => {
    const member = await newMember(admin, 'cleo');
    const { id } = (await member.get('/api/me')).data<{ id: number }>();
    await enrol(member);
    const page = await opened(id);
    const confirm = async (name: string) => {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await confirm('Turn off two-factor');
    expect((await member.get('/api/me')).data()).toMatchObject({ otp: false });
    await confirm('Disable account');
    await page.getByRole('button', { name: 'Enable account' }).waitFor();
    expect((await member.get('/api/me')).outcome).toBe('401 Current user is disabled, replace please');
    await confirm('Enable account');
    await page.getByRole('button', { name: 'Disable account' }).waitFor();
    expect((await member.get('/api/me')).code).toBe(200);
  });

  it('loses single keys and sessions, and shows what was done to it', async () => {
    const member = await newMember(admin, 'dora');
    const { id } = (await member.get('/api/me')).data<{ id: number }>();
    for (const title of ['laptop', 'phone'])
      (await member.post('/api/me/sshkey/add', { title, key: keyLine(title).line })).data();
    const other = await signedInAs(api.with({ 'user-agent': 'curl/8.5.0' }), 'dora');
    const page = await opened(id);
    const key = page.getByRole('region', { name: 'SSH keys' }).getByText(keyLine('laptop').fingerprint);
    await key.waitFor();
    await page.getByRole('button', { name: 'Remove key laptop' }).click();
    await takePicture(page, 'account-remove-key');
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove key' }).click();
    await key.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^End the session of dora on curl 8\.5\.0 from [\d.]+$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByRole('region', { name: 'Sessions' }).getByText('curl 8.5.0').waitFor({ state: 'detached' });
    expect((await other.get('/api/me')).code).toBe(401);
    expect((await member.get('/api/me')).code).toBe(200);
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('region', { name: 'Sessions' }).getByText('no longer accepted').waitFor();
    expect((await member.get('/api/me')).outcome).toBe('401 token is invalidated');
    await page.reload();
    await page.locator('summary', { hasText: 'SSH key removed' }).waitFor();
  });

  it('is deleted after its name was typed', async () => {
    const { id } = await createAccount(admin, 'emil');
    const page = await opened(id);
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    await expectAccessible(page);
    await dialog.getByLabel('Type “emil” to confirm').fill('emi');
    expect(await dialog.getByRole('button', { name: 'Delete account' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type “emil” to confirm').fill('emil');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await expectHeading(page, 'Accounts');
    expect((await admin.get(`/api/admin/user/get?id=${id}`)).outcome).toBe('500 failed get old user: record not found');
  });
});

/** Returns the changes that have to be confirmed. */
const offered = async (page: Page) => {
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  return page.locator('button.danger').allTextContents();
};

describe('the account of', () => {
  it('the guest has no keys and no second factor, and cannot be deleted', async () => {
    const page = await opened(2);
    await expectText(page, /Requests without a sign-in act as the guest/);
    expect(await offered(page)).toEqual([]);
    await expectAccessible(page);
  });

  it('an administrator can be neither disabled nor deleted, and can be renamed', async () => {
    const page = await opened(1);
    await expectText(page, 'An administrator cannot be disabled or deleted.');
    expect(await offered(page)).toEqual(['End all sessions', 'Turn off two-factor', 'Revoke everything']);
    expect(await page.getByRole('button', { name: 'Set password' }).count()).toBe(0);
    await page.getByLabel('User name').fill('root');
    await page.getByRole('button', { name: 'Save' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel('Password').fill(ADMIN_PASSWORD);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expectHeading(page, 'root');
    const root = await api.from('172.21.0.2').signedIn('root', ADMIN_PASSWORD);
    const account = (await root.get('/api/admin/user/get?id=1')).data<object>();
    (await root.post('/api/admin/user/update', { ...account, username: 'admin' })).data();
  });

  it('nobody says so', async () => {
    const page = await opened(999, await adminOf(api));
    await page.getByText('failed get old user: record not found').waitFor();
    await page.getByRole('link', { name: 'All accounts' }).click();
    await expectHeading(page, 'Accounts');
  });
});
