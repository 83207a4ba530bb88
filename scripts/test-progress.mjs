import { relative } from 'node:path';

/** A reporter for vitest: a line for each file that has ended, and on request all failures and a sum for each kind. */
export class TestProgress {
  #files = [];
  #errors = [];
  #root = '';

  /** @param count how many files the run has */
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
    const word = file.failures.length > 0 ? 'FAIL' : 'ok  ';
    const seconds = `${file.seconds.toFixed(1)} s`.padStart(8);
    console.log(`${position} of ${this.count}  ${word} ${seconds}  ${file.kind}: ${file.name}`);
    file.failures.forEach(report);
  }

  onTestRunEnd(_modules, unhandledErrors) {
    this.#errors = unhandledErrors.map((error) => ({ title: 'an error outside of all tests', message: textOf(error) }));
  }

  /** Every failed test once, also those that were skipped, because a skipped test hides a gap. */
  failures() {
    return [...this.#files.flatMap(({ failures }) => failures), ...this.#errors];
  }

  /** The files with failures, relative to the folder of the project. */
  failedFiles() {
    return this.#files.filter(({ failures }) => failures.length > 0).map(({ name }) => name);
  }

  passed() {
    return this.#files.reduce((sum, { passed }) => sum + passed, 0);
  }

  /** Whether every file ran and no test failed. */
  isGood() {
    return this.#files.length === this.count && this.passed() > 0 && this.failures().length === 0;
  }

  /** Repeats every failure at the end, where a reader finds it. */
  reportFailures() {
    this.failures().forEach(report);
    if (this.#files.length < this.count) console.log(`FAIL  ${this.count - this.#files.length} files did not run`);
  }

  /** A line for each kind. The seconds are those of its files one after another: files of several kinds run side by side. */
  reportKinds() {
    for (const [kind, files] of Map.groupBy(this.#files, ({ kind }) => kind)) {
      const sum = (key) => files.reduce((total, file) => total + file[key], 0);
      const failed = files.flatMap(({ failures }) => failures).length;
      console.log(
        `${kind}: ${sum('passed')} passed, ${failed} failed in ${files.length} files, ${sum('seconds').toFixed(0)} s`,
      );
    }
  }

  #summary(module) {
    const name = relative(this.#root, module.moduleId);
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state !== 'passed');
    const failures = failed.map((test) => ({
      title: `${name}: ${test.fullName}`,
      message: (test.result().errors ?? []).map(textOf).join('\n') || test.result().state,
    }));
    // Errors of hooks and imports belong to suites or to the file.
    const suites = [module, ...module.children.allSuites()];
    const errors = suites.flatMap((suite) => suite.errors()).map(textOf);
    if (errors.length > 0) failures.push({ title: `${name}: outside of its tests`, message: errors.join('\n') });
    const { duration, collectDuration, setupDuration } = module.diagnostic();
    const seconds = (duration + collectDuration + setupDuration) / 1000;
    return { name, kind: module.project.name, passed: tests.length - failed.length, failures, seconds };
  }
}

const report = ({ title, message }) => console.log(`FAIL  ${title}\n${message.replace(/^/gm, '      ')}`);

/** The message, what differs, and the lines of the stack that name files of the project. */
function textOf({ message, diff, stack = '', cause }) {
  const lines = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/(node_modules|node:|new Promise)/.test(line));
  const reason = cause?.message ? [`caused by: ${cause.message}`] : [];
  return [message, ...(diff ? [diff] : []), ...reason, ...lines].join('\n');
}
