// npm run check: runs types, lint, unit tests and the recorded answers in parallel. Shows only the output of failed checks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..');
if (import.meta.main) {
  const checks = [
    lint(),
    check('unit tests', 'test:unit -- --reporter=minimal'),
    check('recorded answers of the API', 'test:recordings -- --reporter=minimal'),
  ];
  process.exit((await Promise.all(checks)).every(Boolean) ? 0 : 1);
}

/** Checks types, lint and import rules. Returns whether they are good. */
export function lint() {
  return check('types, lint and import rules', 'lint');
}

async function check(name, script) {
  const started = performance.now();
  const command = `npm run --silent ${script} 2>&1`;
  const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (status !== 0) console.log(output);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'}  ${name}, ${Math.round((performance.now() - started) / 1000)} s`);
  return status === 0;
}
