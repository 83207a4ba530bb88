import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ApiClient } from '../api-client.js';
import { openPage, type Look } from './chromium.js';

/** Opens the console at one of its addresses. */
export const openConsole = (baseUrl: string, path = '/', look?: Look): Promise<Page> =>
  openPage(`${baseUrl}/@account${path}`, look);

/** Opens the console with the session of a client, as after "Stay signed in". */
export async function consoleOf(client: ApiClient, path = '/', look?: Look): Promise<Page> {
  const page = await openPage(`${client.baseUrl}/@account${path}`, look, { 'keyfold-token': client.token });
  await expectHeading(page);
  return page;
}

/** Opens the console and signs in. The page stays at the address. */
export async function signedInConsole(
  baseUrl: string,
  username: string,
  password: string,
  path = '/',
  look?: Look,
): Promise<Page> {
  const page = await openConsole(baseUrl, path, look);
  await signIn(page, username, password);
  return page;
}

export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await expectHeading(page);
}

/** Waits until a screen shows its heading. */
export const expectHeading = (page: Page, name?: string): Promise<void> =>
  page.getByRole('heading', { level: 1, ...(name !== undefined && { name }) }).waitFor();

/** Goes to an address of the console without loading the page again. */
export const openAddress = (page: Page, path: string): Promise<void> =>
  page.evaluate(`history.pushState(null, '', '/@account${path}'); dispatchEvent(new PopStateEvent('popstate'))`);

/** Goes to a screen by the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true }).click();
  await expectHeading(page, name);
}

/** Expects that something with this text appears. */
export async function expectText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
  expect(await page.getByText(text).first().isVisible()).toBe(true);
}
