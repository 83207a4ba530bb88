import { ACTIVITY_TYPES } from '@keyfold/application';
import { expect, it } from 'vitest';
import { newMember, adminOf } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, takePicture } from '../../support/browser/chromium.js';
import { consoleOf, expectText, signedInConsole } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));
const ann = await newMember(admin, 'ann');
await ann.post('/api/me/sshkey/add', { title: 'laptop', key: ED25519 });
await ann.post('/api/me/tokens', { name: 'backup', scopes: ['keys:manage'], expires: '2030-01-02T03:04:05Z' });

it('a person sees what was done, by whom and from where', async () => {
  const page = await signedInConsole(app.baseUrl, 'ann', 'pw-ann', '/activity');
  const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text });
  await rowOf('SSH key added').getByText('laptop').first().waitFor();
  // The owner sees the id of an administrator, not the name.
  await rowOf('Account created').getByRole('cell', { name: 'account 1' }).waitFor();
  expect(await rowOf('Signed in').first().innerText()).toMatch(/127\.0\.0\.1 · Chrome \d+ · Linux/);
  await rowOf('Access token created').getByText('Access token created').press('Enter');
  await rowOf('Access token created').getByText('Manage my SSH keys').waitFor();
  await rowOf('Access token created').getByText('Jan 2, 2030').waitFor();
  await expectAccessible(page);
});

it('filters stay in the address, and say how to find more', async () => {
  const page = await consoleOf(ann, '/activity');
  await page.getByLabel('Type').selectOption('SSH key added');
  await expectText(page, '1 entry · There are no older entries.');
  const types = await page.getByLabel('Type').locator('option').all();
  const values = await Promise.all(types.map((option) => option.getAttribute('value')));
  expect(new Set(values)).toEqual(new Set(['', ...ACTIVITY_TYPES]));
  await page.reload();
  await expectText(page, '1 entry · There are no older entries.');
  expect(new URL(page.url()).search).toBe('?type=ssh-key.added');
  await page.getByLabel('Until').fill('2020-01-31');
  await expectText(page, 'Nothing matches. Choose other dates, or everything.');
  expect(new URL(page.url()).search).toBe('?type=ssh-key.added&until=2020-01-31');
  await expectAccessible(page);
  await takePicture(page, 'activity-empty');
});

it('older entries are loaded on demand', async () => {
  const { content } = (await ann.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>();
  const { id } = content[0]!;
  for (let name = 1; name <= 51; name++)
    (await ann.post('/api/me/sshkey/update', { id, title: `name ${name}` })).data();
  const page = await consoleOf(ann, '/activity?type=ssh-key.renamed');
  await expectText(page, /^50 entries$/);
  await page.getByRole('button', { name: 'Load more' }).press('Enter');
  const end = page.getByText('51 entries · There are no older entries.');
  await end.waitFor();
  expect(await end.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
});

it('a refused filter is shown in the words of the service', async () => {
  const page = await consoleOf(ann, '/activity?type=nothing');
  await expectText(page, /type must be a type of activity/);
  await expectAccessible(page);
  await takePicture(page, 'activity-refused');
  await page.getByLabel('Type').selectOption('Everything');
  await page.getByRole('row').nth(1).waitFor();
});
