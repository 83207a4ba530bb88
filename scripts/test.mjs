// npm test: what a change must pass, cheapest first, and how many tests of each cost ran.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { builtApp } from './build.mjs';

const root = join(import.meta.dirname, '..');
const costs = ['unit', 'int', 'contract', 'e2e', 'boot', 'deployment', 'fault'];
/**
 * In CI a few files that failed are run once more: one disturbed moment of a shared machine must not hide what thousands of tests say.
 * What failed at first is told all the same, because it wants to be looked at.
 */
const MOST_FILES_AGAIN = 3;
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
  const first = run(cost);
  if (!process.env.CI || first.files.length === 0 || first.files.length > MOST_FILES_AGAIN)
    return { cost, first, last: first };
  const again = run(cost, first.files);
  return { cost, first, last: { ...again, passed: first.passed + first.failures.length - again.failed } };
});
rmSync(reports, { recursive: true });

for (const { cost, first, last } of runs) {
  const word = last === first ? 'FAIL' : 'FAILED AT FIRST';
  for (const { title, message } of first.failures)
    console.log(`${word}  ${cost}: ${title}\n${message.replace(/^/gm, '      ')}`);
  if (last !== first) for (const { title } of last.failures) console.log(`FAIL AGAIN  ${cost}: ${title}`);
}
for (const { cost, last } of runs) console.log(`${cost}: ${last.passed} passed, ${last.failed} failed`);
const sum = (key) => runs.reduce((total, { last }) => total + last[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(checks.every(Boolean) && runs.every(({ last }) => last.ok && last.passed > 0) ? 0 : 1);

/** Runs the tests of one cost, or only some files of it. */
function run(cost, files = []) {
  const report = join(reports, `${cost}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const name = files.length > 0 ? `${cost} tests again, ${files.length} files` : `${cost} tests`;
  const ok = step(name, process.execPath, [vitest, 'run', '--project', cost, ...reporters, ...files]);
  const counts = countsOf(report);
  return { ...counts, ok: ok && counts.failed === 0 };
}

/** A skipped test hides a gap, so it counts as failed. */
function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const failed = numFailedTests + numPendingTests + numTodoTests;
    const files = testResults.filter((file) => failuresOf(file).length > 0).map(({ name }) => relative(root, name));
    return { passed: numPassedTests, failed, files, failures: testResults.flatMap(failuresOf) };
  } catch {
    const failures = [{ title: 'no report', message: 'The run ended before it wrote its results.' }];
    return { passed: 0, failed: 1, files: [], failures };
  }
}

/** Told once more at the end, where they are found. A file that could not be read has a message of its own and no tests. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(root, name);
  const tests = assertionResults
    .filter((test) => test.status !== 'passed')
    .map((test) => ({
      title: `${file}: ${test.fullName}`,
      message: test.failureMessages.map(withoutPackages).join('\n') || test.status,
    }));
  return tests.length === 0 && status === 'failed' ? [{ title: file, message }] : tests;
}

/** The lines of a stack that name packages help nobody. */
function withoutPackages(text) {
  const lines = text.split('\n').filter((line) => !/^\s+at .*(node_modules|node:|new Promise)/.test(line));
  return lines.join('\n');
}
