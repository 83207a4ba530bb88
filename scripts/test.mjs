// npm test: what a change must pass, cheapest first, and how many tests of each cost ran.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { builtApp } from './build.mjs';

const root = join(import.meta.dirname, '..');
const costs = ['unit', 'int', 'contract', 'e2e', 'boot', 'fault'];
const reports = mkdtempSync(join(tmpdir(), 'keyfold-tests-'));

function step(name, command, args) {
  const started = performance.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'}  ${name}, ${Math.round((performance.now() - started) / 1000)} s`);
  return status === 0;
}

const checks = [
  ['types', 'npm', ['run', '--silent', 'types']],
  ['lint and import rules', 'npm', ['run', '--silent', 'lint']],
].map((check) => step(...check));
await builtApp('standalone');

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const runs = costs.map((cost) => {
  const report = join(reports, `${cost}.json`);
  const args = [vitest, 'run', '--project', cost, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const ok = step(`${cost} tests`, process.execPath, args);
  return { cost, ok, ...countsOf(report) };
});
rmSync(reports, { recursive: true });

const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
for (const { cost, failures } of runs) {
  for (const { title, message } of failures)
    console.log(`FAIL  ${cost}: ${title}\n${message.replace(/^/gm, '      ')}`);
}
for (const { cost, passed, failed } of runs) console.log(`${cost}: ${passed} passed, ${failed} failed`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(checks.every(Boolean) && runs.every(({ ok, passed }) => ok && passed > 0) ? 0 : 1);

/** A skipped test hides a gap, so it counts as failed. */
function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const failed = numFailedTests + numPendingTests + numTodoTests;
    return { passed: numPassedTests, failed, failures: testResults.flatMap(failuresOf) };
  } catch {
    return {
      passed: 0,
      failed: 1,
      failures: [{ title: 'no report', message: 'The run ended before it wrote its results.' }],
    };
  }
}

/** Told once more at the end, where they are found. A file that could not be read has a message of its own and no tests. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(root, name);
  const tests = assertionResults
    .filter((test) => test.status !== 'passed')
    .map((test) => ({ title: `${file}: ${test.fullName}`, message: test.failureMessages.join('\n') || test.status }));
  return tests.length === 0 && status === 'failed' ? [{ title: file, message }] : tests;
}
