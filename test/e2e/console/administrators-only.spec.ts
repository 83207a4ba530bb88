import { expect, it } from 'vitest';
import { adminOf, newMember } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectHeading, consoleOf } from '../../support/browser/console.js';
import { screens } from '../../support/browser/screens.js';
import { sharedApp } from '../../support/shared-app.js';

const addresses = screens
  .filter(({ people }) => people === 'administrators')
  .flatMap(({ path }) => [path, `${path}/1`]);

const app = await sharedApp();
const member = await newMember(await adminOf(new ApiClient(app.baseUrl)), 'mia');

it('the addresses of administrators lead nobody else anywhere, and nothing is asked there', async () => {
  expect(addresses).toContain('/accounts');
  const page = await consoleOf(member, '/profile');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  expect(await page.getByRole('link').allTextContents()).not.toContain('Accounts');
  for (const address of new Set(addresses)) {
    await page.goto(`${app.baseUrl}/@account${address}`);
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
