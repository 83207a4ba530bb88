import { expect, it, onTestFinished } from 'vitest';
import { AlternatingProxy } from '../../support/alternating-proxy.js';
import { openConsole, expectHeading, openAddress } from '../../support/browser/console.js';
import { addFirstKey, signOut } from '../../support/browser/first-key.js';
import { screens } from '../../support/browser/screens.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';

it('every screen of the console works if two gateways answer alternately', async () => {
  const service = await ScaledService.start(freshDatabaseUri(), { gateways: 2, workers: 1 });
  onTestFinished(() => service.dispose());
  await using proxy = await AlternatingProxy.start(service.urls);
  const page = await openConsole(proxy.url);
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  await addFirstKey(page);
  for (const { path, name } of screens) {
    await openAddress(page, name === 'account' ? `${path}/1` : path);
    const link = page.getByRole('link', { name: 'All accounts' });
    if (name === 'account') await link.waitFor();
    await expectHeading(page);
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  }
  await signOut(page);
  expect(refused).toEqual([]);
  for (const asked of proxy.asked)
    for (const kind of ['/@account/assets/', '/api/me', '/api/admin/'])
      expect(asked.filter((path) => path.startsWith(kind)).length, kind).toBeGreaterThan(0);
});
