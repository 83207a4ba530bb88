import { expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { lastingPort } from '../support/lasting-port.js';
import { logLines } from '../support/log-lines.js';
import { StandaloneProcess } from '../support/standalone-process.js';

it('the servers port listens on loopback, and when the process stops it answers what it has accepted', async () => {
  const port = await lastingPort();
  const app = await StandaloneProcess.start({ KEYFOLD_SERVERS_PORT: String(port) });
  onTestFinished(() => app.dispose());
  const url = `http://127.0.0.1:${port}`;
  expect(logLines(app.output()).filter(({ msg }) => msg === 'servers port')).toMatchObject([{ url }]);
  const client = new ApiClient(url);
  const answers: number[] = [];
  let stopping = true;
  const asking = (async () => {
    for (;;) {
      try {
        answers.push((await client.get('/ssh-keys')).status);
      } catch (error) {
        // A connection is refused, or reset if the process had not accepted it yet. File servers then ask the next address.
        expect(String(error)).toMatch(/ECONNREFUSED|ECONNRESET/);
        if (!stopping) return;
      }
    }
  })();
  expect(await app.stop()).toBe(0);
  stopping = false;
  await asking;
  expect(new Set(answers)).toEqual(new Set([401]));
});
