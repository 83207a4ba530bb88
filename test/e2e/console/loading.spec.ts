import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { adminOf } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { consoleOf, expectText } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

/** Holds requests until `count` of them wait together, then lets them go. Fails if they wait for each other. */
async function holdTogether(page: Page, url: RegExp, count: number): Promise<void> {
  const { promise: together, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  await page.route(url, async (route) => {
    if (++held === count) release();
    await together;
    await route.continue();
  });
}

it('a signed-in start takes four round trips: page, files, account with the code of the screen, data', async () => {
  const page = await consoleOf(admin, '/keys');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await holdTogether(page, /\/api\/me$|\/assets\/keys-/, 2);
  await page.reload();
  await expectText(page, 'You have no keys yet.');
  const files = asked.filter((path) => path.startsWith('/@account/assets/'));
  const names = files.map((path) => /([a-z]+)-[\w-]{8}\.\w+$/.exec(path)?.[1]);
  expect(files).toHaveLength(4);
  expect(new Set(names)).toEqual(new Set(['console', 'shared', 'main', 'keys']));
  expect(asked.filter((path) => !files.includes(path))).toEqual(['/@account/keys', '/api/me', '/api/me/sshkey/list']);
});

it.each([
  ['no-preference', false],
  ['reduce', true],
] as const)('a wait shows, with the preference for motion %s', async (reducedMotion, isStill) => {
  const page = await consoleOf(admin, '/profile', { reducedMotion });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/me/sshkey/list*', async (route) => {
    await answered;
    await route.continue();
  });
  await page.getByRole('link', { name: 'SSH keys' }).click();
  await page.locator('.loading').waitFor();
  const durations = await page.evaluate(
    'document.getAnimations().map((animation) => animation.effect.getComputedTiming().activeDuration)',
  );
  expect(durations).toEqual(isStill ? [0] : [Infinity, 0]);
  answer();
  await expectText(page, 'You have no keys yet.');
});
