import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { adminOf, newMember } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectHeading, signedInConsole } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const SCREENS = resolve(import.meta.dirname, '../../../apps/console/src/shell/screens.ts');
/** The addresses of the screens of administrators, read from the text: the screens themselves run only in a browser. */
const addresses = [...readFileSync(SCREENS, 'utf8').matchAll(/path: '(\/[^']*)'[^}]*?for: 'administrators'/g)].flatMap(
  ([, path]) => [path!, `${path}/1`],
);

const app = await sharedApp();
const member = await newMember(await adminOf(new ApiClient(app.baseUrl)), 'mia');

it('the addresses of administrators lead nobody else anywhere, and nothing is asked there', async () => {
  expect(addresses).toContain('/accounts');
  const page = await signedInConsole(app.baseUrl, 'mia', 'pw-mia', '/profile');
  await page.getByLabel('Stay signed in').waitFor({ state: 'detached' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  expect(await page.getByRole('link', { name: 'Accounts' }).count()).toBe(0);
  for (const address of addresses) {
    await page.evaluate(
      `history.pushState(null, '', '/@account${address}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await expectHeading(page, 'This page does not exist.');
  }
  expect(asked.filter((path) => path.startsWith('/api/admin'))).toEqual([]);
});

it('the API refuses every request of an administrator to everybody else', async () => {
  const { paths } = (await member.get('/openapi.json')).json as { paths: Record<string, object> };
  const routes = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/admin/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })));
  expect(routes.length).toBeGreaterThan(20);
  for (const { path, method } of routes) {
    expect([path, (await member.send({ path, method })).outcome]).toEqual([path, '403 You are not an admin']);
  }
});
