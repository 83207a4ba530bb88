import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { blockOf, guide } from '../support/guides.js';
import { IsolatedServer } from '../support/isolated-server.js';
import { lastingPort } from '../support/lasting-port.js';
import { needs } from '../support/needs.js';
import { newPrivateCa, type PrivateCa } from '../support/private-ca.js';
import { StandaloneProcess } from '../support/standalone-process.js';

await needs('nginx');

const PAGE = 'run/proxy.md';
/** The address of a client, whom nginx sees as its peer. */
const CLIENT = '127.1.0.7';

let folder: string;
let ca: PrivateCa;
let app: StandaloneProcess;
let port: number;
let nginx: IsolatedServer;
let authority: Buffer;

/** Returns the recipe of the page with the location below a path, and the files and ports of this test. */
function recipe(): string {
  const [, location, target, cookie] =
    /`(location \/kf\/)` with\s+`(proxy_pass [^`]*)` in nginx.*`(proxy_cookie_path [^`]*)` in nginx/s.exec(
      guide(PAGE),
    )!;
  return blockOf(PAGE, 'nginx', '')
    .replace('location / {', `${location} { ${target} ${cookie} }\n$&`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('/etc/ssl/accounts.crt', ca.certificate)
    .replace('/etc/ssl/private/accounts.key', ca.key)
    .replaceAll('http://127.0.0.1:5244', app.baseUrl);
}

beforeAll(async () => {
  [folder, port] = [await mkdtemp(join(tmpdir(), 'keyfold-proxy-')), await lastingPort()];
  ca = newPrivateCa();
  authority = await readFile(ca.authority);
  const [, trusted = ''] = /^KEYFOLD_TRUSTED_PROXIES=(.*)$/m.exec(guide(PAGE)) ?? [];
  app = await StandaloneProcess.start({ KEYFOLD_TRUSTED_PROXIES: trusted });
  const settings = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${recipe()} }`;
  await writeFile(join(folder, 'nginx.conf'), settings);
  await writeFile(join(folder, 'start.sh'), `exec nginx -p ${folder} -c ${folder}/nginx.conf -g 'daemon off;'`);
  nginx = await IsolatedServer.start(port, join(folder, 'start.sh'));
});
afterAll(async () => {
  await nginx?.stop();
  await app?.dispose();
  ca?.dispose();
  await rm(folder, { recursive: true });
});

async function send(path: string, headers: Readonly<Record<string, string>> = {}, body?: object) {
  const method = body === undefined ? 'GET' : 'POST';
  const options = { ca: authority, agent: false, localAddress: CLIENT, method, headers };
  const sent = request(`https://127.0.0.1:${port}${path}`, options).end(body && JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

async function logIn(path: string) {
  const { headers, text: answer } = await send(
    `${path}/api/auth/login`,
    { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
    { username: 'admin', password: ADMIN_PASSWORD },
  );
  return {
    cookie: String(headers['set-cookie']),
    token: (JSON.parse(answer) as { data: { token: string } }).data.token,
  };
}

it('behind the recipe of nginx the service sees the address of the client, and not the one that the client names', async () => {
  const { token } = await logIn('');
  const { status, text: answer } = await send('/api/me/sessions', { authorization: token });
  expect(status).toBe(200);
  expect(answer).toContain(CLIENT);
  expect(answer).not.toContain('203.0.113.7');
});

it('below a path nginx serves the console and the API, and the cookie of a device belongs to the path', async () => {
  const page = await send('/kf/@account');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const [file = ''] = /[^"]*assets\/main-[\w.-]+/.exec(page.text) ?? [];
  expect((await send(new URL(file, 'https://host/kf/@account').pathname)).status).toBe(200);
  expect((await logIn('/kf')).cookie).toContain('Path=/kf/');
});
