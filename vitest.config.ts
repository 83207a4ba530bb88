import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { searchPath } from './test/support/programs.js';
import { timesLength } from './test/support/test-length.js';

/** One project per kind of test, so that each kind can run alone: `npx vitest run --project unit`. */
const project = (name: string, include: string[], options = {}) => ({
  extends: true as const,
  test: { name, include, ...options },
});

/**
 * Milliseconds after which a test or a hook counts as hanging. What a test waits for has a shorter bound of its own, and
 * the sum of these bounds is no fact about the code, so no test sets a limit of its own.
 */
const LIMIT = timesLength(600_000);

/** These tests mostly wait for other processes. They start after the `unit` tests. */
const beside = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 1 } };
/** Finds or starts the services once per run: MongoDB at once, RabbitMQ when a hook or a test asks for it. */
const services = {
  globalSetup: ['test/support/mongo/mongo.setup.ts', 'test/support/rabbitmq/rabbitmq.setup.ts'],
  setupFiles: ['test/support/each-file.setup.ts'],
  ...beside,
};
/**
 * Files one after the other in the same process, because a process for each would cost more than its tests. What a support
 * module holds for a file ends by `afterFile`.
 */
const shared = { isolate: false };
/** Tests of whole processes. */
const processes = { ...services, ...shared };

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { tsconfigPaths: true },
  test: {
    env: { PATH: searchPath },
    sequence: { sequencer: LongestFirst },
    testTimeout: LIMIT,
    hookTimeout: LIMIT,
    // The default, one second, is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      project('unit', ['{apps,libs}/**/*.spec.ts', 'test/docs/**/*.spec.ts', '!**/*.int.spec.ts'], {
        ...shared,
        maxWorkers: availableParallelism(),
      }),
      project('int', ['{apps,libs}/**/*.int.spec.ts'], services),
      project('contract', ['test/contract/**/*.spec.ts'], processes),
      project('e2e', ['test/e2e/**/*.spec.ts'], processes),
      project('abuse', ['test/abuse/**/*.spec.ts'], processes),
      project('boot', ['test/boot/**/*.spec.ts'], processes),
      project('deployment', ['test/deployment/**/*.spec.ts'], processes),
      project('docker', ['test/docker/**/*.spec.ts'], {
        globalSetup: ['test/support/docker/docker.setup.ts'],
        ...beside,
      }),
      project('fault', ['test/fault/**/*.spec.ts'], services),
    ],
  },
});
