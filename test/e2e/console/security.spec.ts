import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newAccessToken } from '../../support/access-tokens.js';
import { adminOf, createAccount, newAddress, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, NARROW, takePicture } from '../../support/browser/chromium.js';
import { expectHeading, expectText, openConsole, signedInConsole } from '../../support/browser/console.js';
import { readQrPicture } from '../../support/qr.js';
import { sharedApp } from '../../support/shared-app.js';
import { codeNow, enrol } from '../../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const pressIn = (page: Page, dialog: string, name: string) =>
  page.getByRole('dialog', { name: dialog }).getByRole('button', { name, exact: true }).click();
const dialogIn = (page: Page, name: string) => page.getByRole('dialog', { name });
/** Expects the focus on an element of this name. */
const expectFocus = async (page: Page, name: string) => {
  await page
    .locator(':focus')
    .and(page.getByRole('button', { name }).or(page.getByLabel(name)))
    .waitFor();
};

async function openSecurity(username: string, look = {}): Promise<Page> {
  await createAccount(admin, username);
  return signedInConsole(app.baseUrl, username, `pw-${username}`, '/security', look);
}

/** Signs in to an account that has two-factor login. */
async function openWithCode(username: string, code: string, look = {}): Promise<Page> {
  const page = await openConsole(app.baseUrl, '/security', look);
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(`pw-${username}`);
  await press(page, 'Sign in');
  await page.getByLabel('One-time code').fill(code);
  await press(page, 'Sign in');
  await expectHeading(page, 'Password and two-factor');
  return page;
}

async function signInAgain(page: Page, password: string): Promise<void> {
  const again = dialogIn(page, 'Sign in again');
  await again.getByLabel('Password').fill(password);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitFor({ state: 'detached' });
}

describe('changing the password', () => {
  it('refuses two that differ, then ends the session and lets the person sign in again in place', async () => {
    const page = await openSecurity('ann');
    const { token } = await signedInAs(api, 'ann');
    await page.getByLabel('New password', { exact: true }).fill('first one');
    await page.getByLabel('New password again').fill('second one');
    await press(page, 'Change password');
    expect(await page.getByRole('alert').textContent()).toContain('differ');
    await expectAccessible(page);
    await takePicture(page, 'security-error');
    await page.getByLabel('New password again').fill('first one');
    await press(page, 'Change password');
    await dialogIn(page, 'Sign in again').getByText('Your password has changed').waitFor();
    await expectFocus(page, 'Password');
    await takePicture(page, 'security-again');
    await signInAgain(page, 'first one');
    await expectText(page, 'Saved.');
    expect((await api.as(token).get('/api/me')).code).toBe(401);
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('');
  });

  it('also revokes access tokens and app passwords if the person wants', async () => {
    const page = await openSecurity('abe');
    const abe = await signedInAs(api, 'abe');
    const { token } = await newAccessToken(abe, ['profile:read']);
    await page.getByLabel('New password', { exact: true }).fill('another');
    await page.getByLabel('New password again').fill('another');
    await page.getByLabel('Also revoke my access tokens and app passwords').check();
    await press(page, 'Change password');
    await signInAgain(page, 'another');
    expect((await api.as(token).get('/api/me')).code).toBe(401);
  });
});

it('revoking everything ends the other sessions, and the focus returns', async () => {
  const page = await openSecurity('bea', { colorScheme: 'dark', viewport: NARROW });
  const other = await signedInAs(api, 'bea');
  await press(page, 'Revoke everything');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expectFocus(page, 'Revoke everything');
  await press(page, 'Revoke everything');
  await pressIn(page, 'Revoke everything?', 'Revoke everything');
  await signInAgain(page, 'pw-bea');
  await expectFocus(page, 'Revoke everything');
  expect((await other.get('/api/me')).code).toBe(401);
});

describe('two-factor login', () => {
  it('is turned on with the QR code, and recovery codes follow at once', async () => {
    const page = await openSecurity('cid');
    await press(page, 'Turn on');
    const enrolling = dialogIn(page, 'Set up your authenticator app');
    const picture = await enrolling.getByRole('img').getAttribute('src');
    const shown = (await enrolling.getByLabel('Secret').textContent())!;
    expect(shown).toMatch(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/);
    const secret = new URL(readQrPicture(picture!).text).searchParams.get('secret')!;
    expect(shown.replaceAll(' ', '')).toBe(secret);
    await expectAccessible(page);
    await takePicture(page, 'security-enrolment');
    await enrolling.getByLabel('One-time code').fill('000000');
    await enrolling.getByRole('button', { name: 'Turn on' }).click();
    expect(await enrolling.getByRole('alert').textContent()).toContain('Invalid 2FA code');
    await expectFocus(page, 'One-time code');
    await enrolling.getByLabel('One-time code').fill(codeNow(secret));
    await page.keyboard.press('Enter');

    const making = dialogIn(page, 'New recovery codes');
    await making.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    expect(await making.getByRole('alert').textContent()).toContain('the password is wrong');
    await making.getByLabel('Password').fill('pw-cid');
    await page.keyboard.press('Enter');

    const codes = dialogIn(page, 'Recovery codes');
    const texts = (await codes.locator('pre').textContent())!.split('\n');
    expect(texts).toHaveLength(10);
    await expectAccessible(page);
    await takePicture(page, 'security-codes');
    const [file] = await Promise.all([page.waitForEvent('download'), pressIn(page, 'Recovery codes', 'Download')]);
    const saved = readFileSync(await file.path(), 'utf8');
    expect(saved).toContain('cid');
    expect(saved).toContain(texts.join('\n'));
    // The codes stay until they are saved, however often "Escape" is pressed.
    for (let count = 0; count < 3; count++) await page.keyboard.press('Escape');
    expect(await codes.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true);
    await codes.getByLabel('I have saved them').check();
    await codes.getByRole('button', { name: 'Close' }).click();
    await expectText(page, 'You have 10 unused recovery codes.');
    await expectFocus(page, 'Use another app');
    (await api.from(newAddress()).logIn('cid', 'pw-cid', texts[3])).data();
  });

  it('warns of few recovery codes, and makes new ones for a code', async () => {
    await createAccount(admin, 'dan');
    const dan = await signedInAs(api, 'dan');
    const secret = await enrol(dan);
    const created = await dan.post('/api/auth/2fa/recovery_codes', { password: 'pw-dan' });
    const { recovery_codes: first } = created.data<{ recovery_codes: string[] }>();
    for (const code of first.slice(0, 7)) (await api.from(newAddress()).logIn('dan', 'pw-dan', code)).data();
    const page = await openWithCode('dan', first[7]!, { colorScheme: 'dark', viewport: NARROW });
    await expectText(page, 'You have 2 unused recovery codes left.');
    await expectAccessible(page);
    await takePicture(page, 'security-narrow');
    await press(page, 'New recovery codes');
    await press(page, 'Use a code instead');
    await expectFocus(page, 'One-time code');
    await expectAccessible(page);
    await page.getByLabel('One-time code').fill(codeNow(secret, 1));
    await press(page, 'Create recovery codes');
    await takePicture(page, 'security-codes-narrow');
    await page.getByLabel('I have saved them').check();
    await press(page, 'Close');
    await expectText(page, 'You have 10 unused recovery codes.');
    await expectFocus(page, 'New recovery codes');
  });

  it('is turned off with the password', async () => {
    await createAccount(admin, 'eve');
    const secret = await enrol(await signedInAs(api, 'eve'));
    const page = await openWithCode('eve', codeNow(secret, 1));
    await expectText(page, 'You have no recovery codes.');
    await press(page, 'Use another app');
    await expectText(page, 'Your current app stops working');
    await pressIn(page, 'Set up your authenticator app', 'Cancel');
    await expectFocus(page, 'Use another app');
    await press(page, 'Turn off two-factor login');
    await expectAccessible(page);
    await page.getByLabel('Password', { exact: true }).fill('pw-eve');
    await pressIn(page, 'Turn off two-factor login', 'Turn off two-factor login');
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
    await page.locator('h1:focus').waitFor();
    (await api.from(newAddress()).logIn('eve', 'pw-eve')).data();
  });

  it('needs a new secret after ten minutes', async () => {
    const page = await openSecurity('fay');
    await page.clock.install();
    await press(page, 'Turn on');
    await page.getByRole('img').waitFor();
    const before = await page.getByRole('img').getAttribute('src');
    await page.clock.fastForward('10:01');
    await expectText(page, 'The 10 minutes are over');
    await expectAccessible(page);
    await press(page, 'Get a new secret');
    await page.getByRole('img').waitFor();
    expect(await page.getByRole('img').getAttribute('src')).not.toBe(before);
  });
});
