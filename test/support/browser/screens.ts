import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoOverflow, NARROW, takePicture, WIDE } from './chromium.js';
import { expectHeading, expectText } from './console.js';
import { invisibleParts, severedParts } from './visibility.js';

const SCREENS = resolve(import.meta.dirname, '../../../apps/console/src/shell/screens.ts');
const ROW = /path: '(?<path>\/[^']*)'[^}]*?for: '(?<people>\w+)',(?<hidden>\s+hidden: true)?/g;

/** A screen of the console, and the name of its pictures. */
export type Screen = Readonly<{ path: string; people: string; name: string }>;

/** All screens, read from the text: the screens themselves run only in a browser. */
export const screens: readonly Screen[] = [...readFileSync(SCREENS, 'utf8').matchAll(ROW)].map(({ groups }) => {
  const { path, people, hidden } = groups as { path: string; people: string; hidden?: string };
  // A screen without a place in the navigation shows one of several: an account of the accounts.
  return { path, people, name: hidden ? path.slice(1, -1) : path.slice(1) };
});

/** Expects that a screen is accessible and complete in each look, and takes its pictures. */
export async function expectEveryLook(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries({ '': WIDE, '-narrow': NARROW })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await takePicture(page, `${name}${size}-${colorScheme}`);
    }
  }
  // A window of 1,280 pixels at 200 %.
  await page.setViewportSize({ width: WIDE.width / 2, height: WIDE.height / 2 });
  await expectNoOverflow(page);
  expect(await severedParts(page)).toEqual([]);
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: null, forcedColors: 'active' });
  expect(await invisibleParts(page)).toEqual([]);
  await takePicture(page, `${name}-forced`);
  await page.emulateMedia({ forcedColors: null });
}

/** Expects that a screen says what to do when the service cannot be reached after it has opened. */
export async function expectUnreachable(page: Page, name: string): Promise<void> {
  await page.route(/\/api\/(?!me$)/, (route) => route.abort());
  await page.reload();
  await expectHeading(page);
  await expectText(page, 'The service did not answer. Check your connection, then try again.');
  await expectAccessible(page);
  await takePicture(page, `${name}-error`);
}
