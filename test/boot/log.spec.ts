import { expect, it, onTestFinished } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';

/** Starts the app, sends valid and invalid requests, stops it and returns the complete output. */
async function outputOf(env: ProcessEnv): Promise<{ app: StandaloneProcess; output: string }> {
  const app = await StandaloneProcess.start(env);
  onTestFinished(() => app.dispose());
  const api = new ApiClient(app.baseUrl);
  const admin = await adminOf(api);
  await admin.get('/api/me');
  await api.as('nonsense').get('/api/me');
  await api.get('/nowhere');
  expect(await app.stop()).toBe(0);
  return { app, output: app.output() };
}

it('on a pipe every line is JSON with level, time and message, and one reports the address once all is ready', async () => {
  const { app, output } = await outputOf({ KEYFOLD_LOG_LEVEL: 'trace' });
  const lines = logLines(output);
  for (const line of lines) {
    expect(line).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  expect(lines.filter(({ msg }) => msg === 'ready')).toMatchObject([{ url: app.baseUrl }]);
  // Without its setting, the servers port is closed.
  expect(lines.filter(({ msg }) => msg === 'servers port')).toEqual([]);
});

it('at the level error nothing is logged while nothing fails', async () => {
  const { output } = await outputOf({ KEYFOLD_LOG_LEVEL: 'error' });
  expect(output).toBe('');
});
