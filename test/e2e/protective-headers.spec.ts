import { expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';

async function start(env: ProcessEnv = {}): Promise<ApiClient> {
  const app = await StandaloneProcess.start(env);
  onTestFinished(() => app.dispose());
  return new ApiClient(app.baseUrl);
}

const HSTS = 'strict-transport-security';

it('answers forbid content sniffing and do not ask for HTTPS by default', async () => {
  const api = await start();
  for (const path of ['/ping', '/api/me', '/api/public/settings', '/docs', '/nowhere', '/%ff']) {
    const { headers } = await api.get(path);
    expect(headers['x-content-type-options'], path).toBe('nosniff');
    expect(headers[HSTS], path).toBeUndefined();
  }
});

it('pages load nothing from other origins, allow no framing by them, and do not upgrade to HTTPS', async () => {
  const api = await start();
  for (const path of ['/docs', '/docs/swagger-ui-bundle.js']) {
    const { headers } = await api.get(path);
    expect(headers['content-security-policy'], path).toContain("default-src 'self'");
    expect(headers['content-security-policy'], path).not.toContain('upgrade-insecure-requests');
    expect(headers['x-frame-options'], path).toBe('SAMEORIGIN');
  }
  expect((await api.get('/docs/events')).headers).toMatchObject({
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-frame-options': 'SAMEORIGIN',
  });
});

it('HSTS lasts as long as the setting says', async () => {
  const api = await start({ KEYFOLD_HSTS_SECONDS: '31536000' });
  expect((await api.get('/ping')).headers[HSTS]).toBe('max-age=31536000');
});
