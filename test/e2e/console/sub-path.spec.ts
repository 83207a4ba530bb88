import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../../support/accounts.js';
import { expectHeading, goTo, signedInConsole } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
/** The paths of requests that no sub path leads to. */
const lost: string[] = [];
const proxy = createServer((incoming, answer) => {
  const [, path] = /^\/kf(\/.*)$/.exec(incoming.url!) ?? [];
  if (path === undefined) {
    lost.push(incoming.url!);
    return void answer.writeHead(404).end();
  }
  const { method, headers } = incoming;
  const outgoing = request(app.baseUrl + path, { method, headers }, (received) => {
    // As docs/run/proxy.md has it for Caddy.
    const cookies = received.headers['set-cookie']?.map((cookie) => cookie.replace('Path=/', 'Path=/kf/'));
    answer.writeHead(received.statusCode!, { ...received.headers, ...(cookies && { 'set-cookie': cookies }) });
    received.pipe(answer);
  });
  incoming.pipe(outgoing);
});
await once(proxy.listen(0, '127.0.0.1'), 'listening');
const site = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/kf`;
afterAll(() => proxy.close());

it('the root leads to the console below a path that a proxy strips', async () => {
  const { headers } = await fetch(`${site}/`, { redirect: 'manual', headers: { accept: 'text/html' } });
  expect(new URL(headers.get('location')!, `${site}/`).href).toBe(`${site}/@account`);
});

it('the console signs in, changes screens and loads again below a path that a proxy strips', async () => {
  const page = await signedInConsole(site, 'admin', ADMIN_PASSWORD);
  const cookies = await page.context().cookies(`${site}/api/auth/login`);
  expect(cookies.map(({ name, path }) => [name, path])).toEqual([['keyfold_device', '/kf/api/auth/login']]);
  await goTo(page, 'Accounts');
  await page.getByRole('link', { name: 'guest' }).click();
  await expectHeading(page, 'guest');
  expect(page.url()).toMatch(new RegExp(`^${site}/@account/accounts/\\d+$`));
  await page.reload();
  await page.getByLabel('Password').waitFor();
  expect(lost).toEqual([]);
});
