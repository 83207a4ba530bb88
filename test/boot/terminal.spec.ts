import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { onTerminal } from '../support/terminal.js';

it('on a terminal a banner shows the address and the first password, and Ctrl-C ends the process with 0', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-terminal-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const terminal = onTerminal({ KEYFOLD_HOST: '127.0.0.1', KEYFOLD_PORT: '0', KEYFOLD_DATA_DIR: folder });
  onTestFinished(() => terminal.close());
  await terminal.untilShown('Stop with Ctrl-C');
  const shown = terminal.text();
  const [, url = ''] = /Keyfold is ready at (http:\/\/127\.0\.0\.1:\d+)/.exec(shown) ?? [];
  const [, password = ''] = /password\s+([A-Za-z0-9]{16})\s/.exec(shown) ?? [];
  expect((await new ApiClient(url).logIn('admin', password)).code).toBe(200);
  expect(shown.split(password)).toHaveLength(2);
  expect(shown).not.toContain('{"');
  terminal.press('\x03');
  expect(await terminal.ended).toBe(0);
});
