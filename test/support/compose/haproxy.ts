import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs HAProxy with these configuration files and returns a function that stops it. */
export function startHaproxy(files: readonly string[]): () => Promise<void> {
  const child = spawn('haproxy', ['-db', ...files.flatMap((file) => ['-f', file])], { stdio: 'ignore' });
  const ended = once(child, 'close');
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}
