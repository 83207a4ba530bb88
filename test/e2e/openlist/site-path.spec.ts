import { afterAll, describe, expect, it, vi } from 'vitest';
import { openListScene } from '../../support/openlist/scene.js';
import { StandaloneProcess, StartFailure } from '../../support/standalone-process.js';

const { app, double, api } = await openListScene();
afterAll(() => void (double.sitePath = ''));

const LOGIN = { method: 'POST', path: '/files/api/auth/login', body: { username: 'admin', password: 'x' } };
const readiness = async () => (await fetch(`${app.managementUrl}/health/ready`)).text();

describe('an OpenList that gets a path in its site_url', () => {
  it('gets no request until it has none any more, and readiness says what to do', async () => {
    await vi.waitFor(async () => expect(await readiness()).toContain('"openlist":"ok"'), 10_000);
    double.sitePath = '/files';
    await double.restart();
    await vi.waitFor(async () => expect(await readiness()).toContain('answers below /files only'), 10_000);
    double.requests.forget();
    for (let request = 0; request < 10; request++) {
      expect((await api.send(LOGIN)).status).toBe(503);
      expect((await api.get('/robots.txt')).status).toBe(503);
      expect(await readiness()).toContain('answers below /files only');
    }
    expect(double.requests.forwarded).toEqual([]);
    double.sitePath = '';
    await vi.waitFor(async () => expect((await api.get('/robots.txt')).status).toBe(200), 10_000);
  });

  it('keeps a service from starting, which says what to do', async () => {
    double.sitePath = '/files';
    const env = { KEYFOLD_OPENLIST_URL: double.url, KEYFOLD_OPENLIST_TOKEN: double.staticToken };
    const failure = await StandaloneProcess.start(env).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartFailure);
    expect((failure as StartFailure).message).toMatch(
      /KEYFOLD_OPENLIST_URL: .*answers below \/files only.*Remove this path/,
    );
  });
});
