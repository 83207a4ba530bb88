import type { Page } from 'playwright-core';
import { ADMIN_PASSWORD } from '../accounts.js';
import { newKeyLine } from '../key-line.js';
import { expectHeading, goTo, signIn } from './console.js';

/** Signs in as the first admin and adds a key, as in the README. */
export async function addFirstKey(page: Page): Promise<void> {
  await expectHeading(page, 'Sign in');
  await signIn(page, 'admin', ADMIN_PASSWORD);
  await goTo(page, 'SSH keys');
  const { line, fingerprint } = newKeyLine();
  await page.getByRole('button', { name: 'Add a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Public key').fill(line);
  await dialog.getByLabel('Title').fill('laptop');
  await dialog.getByRole('button', { name: 'Add a key' }).click();
  await page.getByRole('row').filter({ hasText: 'laptop' }).getByText(fingerprint).waitFor();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectHeading(page, 'Sign in');
}
