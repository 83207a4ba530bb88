import { relative } from 'node:path';

/** A vitest reporter. Prints a line for each finished file, and on request all failures and totals for each kind of test. */
export class TestProgress {
  #files = [];
  #errors = [];
  #root = '';

  /** @param count number of files in the run */
  constructor(count) {
    this.count = count;
  }

  onInit(vitest) {
    this.#root = vitest.config.root;
  }

  onTestModuleEnd(module) {
    const file = this.#summary(module);
    this.#files.push(file);
    const position = `${this.#files.length}`.padStart(`${this.count}`.length);
    const word = file.failures.length > 0 ? 'FAIL' : file.lacks ? 'left' : 'ok  ';
    const seconds = `${file.seconds.toFixed(1)} s`.padStart(8);
    const lack = file.lacks ? `, left out: needs ${file.lacks}` : '';
    console.log(`${position} of ${this.count}  ${word} ${seconds}  ${file.kind}: ${file.name}${lack}`);
    file.failures.forEach(report);
  }

  onTestRunEnd(_modules, unhandledErrors) {
    this.#errors = unhandledErrors.map((error) => ({ title: 'error outside of all tests', message: textOf(error) }));
  }

  /** Returns every failed test once, including skipped tests, because a skipped test hides a gap. */
  failures() {
    return [...this.#files.flatMap(({ failures }) => failures), ...this.#errors];
  }

  /** Returns the files with failures, relative to the project folder. */
  failedFiles() {
    return this.#files.filter(({ failures }) => failures.length > 0).map(({ name }) => name);
  }

  passed() {
    return this.#files.reduce((sum, { passed }) => sum + passed, 0);
  }

  /** Returns whether every file ran and no test failed. */
  isGood() {
    return this.#files.length === this.count && this.passed() > 0 && this.failures().length === 0;
  }

  /** Repeats every failure at the end of the output, where it is easy to find. */
  reportFailures() {
    this.failures().forEach(report);
    if (this.#files.length < this.count) console.log(`FAIL  ${this.count - this.#files.length} files did not run`);
  }

  /** Prints a line for each kind of test. Its seconds are the sum over its files, although files of several kinds run in parallel. */
  reportKinds() {
    for (const [kind, files] of Map.groupBy(this.#files, ({ kind }) => kind)) {
      const sum = (key) => files.reduce((total, file) => total + file[key], 0);
      const failed = files.flatMap(({ failures }) => failures).length;
      console.log(
        `${kind}: ${sum('passed')} passed, ${failed} failed in ${files.length} files, ${sum('seconds').toFixed(0)} s`,
      );
    }
  }

  /** Prints the programs that are missing and the number of test files that need each. A file counts for the first one that it lacks. */
  reportLeftOut() {
    const files = this.#files.filter(({ lacks }) => lacks);
    if (files.length === 0) return;
    console.log(`${files.length} of ${this.count} test files were left out, because this machine lacks:`);
    for (const [program, { length }] of Map.groupBy(files, ({ lacks }) => lacks))
      console.log(`  ${program}: ${length} files`);
    console.log('To install missing programs: npm run test:setup');
  }

  #summary(module) {
    const name = relative(this.#root, module.moduleId);
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state !== 'passed');
    const failures = failed.map((test) => ({
      title: `${name}: ${test.fullName}`,
      message: (test.result().errors ?? []).map(textOf).join('\n') || test.result().state,
    }));
    // Errors of hooks and imports are attached to suites or to the file.
    const suites = [module, ...module.children.allSuites()];
    const found = suites.flatMap((suite) => suite.errors());
    // Thrown by `needs` of test/support. In CI nothing is left out.
    const lacks = process.env.CI ? undefined : found.find(isMissingProgram)?.message;
    const errors = lacks ? found.filter((error) => !isMissingProgram(error)) : found;
    if (errors.length > 0)
      failures.push({ title: `${name}: outside of its tests`, message: errors.map(textOf).join('\n') });
    const { duration, collectDuration, setupDuration } = module.diagnostic();
    const seconds = (duration + collectDuration + setupDuration) / 1000;
    return { name, kind: module.project.name, passed: tests.length - failed.length, failures, lacks, seconds };
  }
}

const isMissingProgram = ({ name }) => name === 'MissingProgram';

const report = ({ title, message }) => console.log(`FAIL  ${title}\n${message.replace(/^/gm, '      ')}`);

/** Returns the message, the diff, and the stack lines that name project files. */
function textOf({ message, diff, stack = '', cause }) {
  const lines = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/(node_modules|node:|new Promise)/.test(line));
  const reason = cause?.message ? [`caused by: ${cause.message}`] : [];
  return [message, ...(diff ? [diff] : []), ...reason, ...lines].join('\n');
}
