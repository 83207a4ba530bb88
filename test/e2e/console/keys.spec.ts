import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { adminOf, newMember } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectText, openConsole, signIn } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEpChS5H8qlySk7I8/6yE12JQ2QNeCR6BLTeGrit13pb ann@laptop';
const FINGERPRINT = 'SHA256:CJmxw0NlXi/zHqStZztZaFSDhVr/9Wuf4e9qQOV6ctM';
const OTHER = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
const PRIVATE = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUA\n';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

type Listed = { title: string; expires_time: string | null };
const keysOf = async (client: ApiClient) =>
  (await client.get('/api/me/sshkey/list')).data<{ content: Listed[] }>().content;
const rowOf = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title });
/** Enters a text at once. `fill` enters it line by line. */
const paste = (page: Page, text: string) =>
  page.evaluate(`{
    const field = document.querySelector('textarea');
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
const openDialog = async (page: Page) => {
  await page.getByRole('button', { name: 'Add a key' }).click();
  return page.getByRole('dialog', { name: 'Add a key' });
};

it('a person adds a key after comparing its fingerprint, and a private key is not sent', async () => {
  const ann = await newMember(admin, 'ann');
  const page = await consoleOf(ann, '/keys');
  await expectText(page, 'ssh-keygen -t ed25519');

  const dialog = await openDialog(page);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  for (let time = 0; time < 2; time++) {
    await paste(page, PRIVATE);
    await dialog.getByText('This is a private key. Nothing was sent').waitFor();
    await expect.poll(() => dialog.getByLabel('Public key').inputValue()).toBe('');
  }
  await takePicture(page, 'keys-private');
  await dialog.getByLabel('Public key').fill('ssh-ed25519 my key');
  await dialog.getByText('This does not look like a public key').waitFor();
  await dialog.getByLabel('Public key').fill(ED25519);
  await dialog.getByText(FINGERPRINT).waitFor();
  expect(await dialog.getByLabel('Title').inputValue()).toBe('ann@laptop');
  expect(sent).toEqual([]);
  await expectAccessible(page);
  await takePicture(page, 'keys-add');

  await dialog.getByLabel('Title').fill('laptop');
  await dialog.getByLabel('Expires').fill('2020-01-01');
  await dialog.getByLabel('Expires').press('Enter');
  await dialog.getByText('the expiry must lie in the future, at most ten years ahead').waitFor();
  await dialog.getByLabel('Expires').fill('2030-01-31');
  await dialog.getByLabel('Expires').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const row = rowOf(page, 'laptop');
  await row.getByText(FINGERPRINT).waitFor();
  await row.getByText('ssh-ed25519, 256 bits').waitFor();
  await row.getByRole('cell', { name: 'never' }).waitFor();
  expect((await keysOf(ann)).map(({ title, expires_time }) => [title, expires_time?.slice(0, 10)])).toEqual([
    ['laptop', '2030-01-31'],
  ]);
});

it('the file of a key is chosen or dropped', async () => {
  const page = await consoleOf(await newMember(admin, 'bob'), '/keys');
  const dialog = await openDialog(page);
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await dialog.getByLabel('Or choose the file').setInputFiles(file('id_ed25519', PRIVATE));
  await dialog.getByText('This is a private key').waitFor();
  await dialog.getByLabel('Or choose the file').setInputFiles(file('big', 'x'.repeat(70_000)));
  await dialog.getByText('This file is too large').waitFor();
  await dialog.getByLabel('Or choose the file').setInputFiles(file('id_ed25519.pub', `${ED25519}\n`));
  await dialog.getByText(FINGERPRINT).waitFor();
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['${OTHER}'], 'other.pub'));
    document.querySelector('textarea').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
  }`);
  await expect.poll(() => dialog.getByLabel('Public key').inputValue()).toBe(OTHER);
});

it('a key is renamed, gets an expiry and is removed', async () => {
  const cleo = await newMember(admin, 'cleo');
  await cleo.post('/api/me/sshkey/add', { title: 'old', key: ED25519, expires: '2030-01-31T12:00:00Z' });
  const page = await consoleOf(cleo, '/keys');
  await page.getByRole('button', { name: 'Change “old”' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('new');
  await dialog.getByLabel('Title').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await rowOf(page, 'new').waitFor();
  expect(await keysOf(cleo)).toMatchObject([{ title: 'new', expires_time: '2030-01-31T12:00:00.000Z' }]);

  const change = page.getByRole('button', { name: 'Change “new”' });
  await change.press('Enter');
  await dialog.getByLabel('Expires').fill('');
  await dialog.getByLabel('Title').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await keysOf(cleo)).toMatchObject([{ title: 'new', expires_time: null }]);
  await expect.poll(() => change.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);

  await page.getByRole('button', { name: 'Remove “new”' }).press('Enter');
  await expectText(page, 'Nobody can sign in with this key any more.');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  await expectText(page, 'You have no keys yet.');
  expect(await keysOf(cleo)).toEqual([]);
});

it('without HTTPS, the fingerprint appears after saving', async () => {
  await newMember(admin, 'dan');
  const page = await openConsole(app.baseUrl, '/keys');
  await page.addInitScript(() => Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined }));
  await page.reload();
  await signIn(page, 'dan', 'pw-dan');
  const dialog = await openDialog(page);
  await dialog.getByLabel('Public key').fill(ED25519);
  await dialog.getByText('The list shows it once the key is saved').waitFor();
  await dialog.getByRole('button', { name: 'Add a key' }).click();
  await rowOf(page, 'ann@laptop').getByText(FINGERPRINT).waitFor();
});
