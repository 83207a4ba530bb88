import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { Watchdog } from '../support/rabbitmq/watchdog.js';

test('a watchdog kills what it guards when its owner is gone', async () => {
  const guarded = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const ended = new Promise<NodeJS.Signals | null>((end) => guarded.once('exit', (_, signal) => end(signal)));
  const watchdog = new Watchdog('/nonexistent/folder');
  watchdog.guard(guarded.pid ?? 0);
  watchdog.abandon();
  expect(await ended).toBe('SIGKILL');
});
