import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { afterFile } from '../afterwards.js';
import { needs } from '../needs.js';
import { findProgram } from '../programs.js';

await needs('chromium-headless-shell');

const PICTURES = resolve(import.meta.dirname, '../../output/console');
/** Bound of a wait for the page, in milliseconds. */
const PAGE_TIMEOUT = 30_000;
/** The levels of WCAG 2.2 that the console meets. */
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export type Look = Pick<
  BrowserContextOptions,
  'colorScheme' | 'viewport' | 'reducedMotion' | 'forcedColors' | 'locale'
>;

let browser: Promise<Browser> | undefined;

/**
 * Opens an address in a browser profile of its own, with values in the storage of the tab. The test fails if the page
 * breaks its own security policy or throws.
 */
export async function openPage(
  url: string,
  look: Look = {},
  stored: Readonly<Record<string, string>> = {},
): Promise<Page> {
  browser ??= launch();
  const context = await (await browser).newContext({ locale: 'en-GB', viewport: WIDE, ...look });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefused(message.text())) problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  for (const entry of Object.entries(stored))
    await page.addInitScript(`sessionStorage.setItem(...${JSON.stringify(entry)})`);
  await page.goto(url);
  return page;
}

/** Opens the browser of a test file, which closes at its end. */
function launch(): Promise<Browser> {
  const launched = chromium.launch({ executablePath: findProgram('chromium-headless-shell')!, args: ['--no-sandbox'] });
  afterFile(async () => {
    browser = undefined;
    await (await launched).close();
  });
  return launched;
}

/** Chromium logs answers with an HTTP error, such as 503, as errors of the page. */
const isRefused = (text: string) => text.startsWith('Failed to load resource');

export const WIDE = { width: 1_280, height: 800 };
export const NARROW = { width: 360, height: 740 };

/** Expects that axe finds nothing on the present screen, and that the page is no wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async (levels) => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
    const found = (await inPage.run({ runOnly: levels })).violations;
    return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })));
  }, LEVELS);
  expect(violations).toEqual([]);
  await expectNoOverflow(page);
}

export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
}

/** Writes a picture of the present screen below `test/output/console`. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const path = join(PICTURES, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage: true });
}
