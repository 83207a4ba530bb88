import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { searchPath } from './test/support/programs.js';

/** One project per kind of test, so that each kind can run alone: `npx vitest run --project unit`. */
const project = (name: string, include: string[], options = {}) => ({
  extends: true as const,
  test: { name, include, ...options },
});
/** These tests mostly wait for other processes. They start after the `unit` tests. */
const beside = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 1 } };
/** Finds or starts the services once per run: MongoDB at once, RabbitMQ when a hook or a test asks for it. */
const services = {
  globalSetup: ['test/support/mongo/mongo.setup.ts', 'test/support/rabbitmq/rabbitmq.setup.ts'],
  // A deployment on Docker has ten containers that must respond in time, so the other tests give way to it.
  setupFiles: ['test/support/low-priority.setup.ts'],
  hookTimeout: 180_000,
  testTimeout: 120_000,
  ...beside,
};

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { tsconfigPaths: true },
  test: {
    env: { PATH: searchPath },
    sequence: { sequencer: LongestFirst },
    // The default, one second, is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      // The timeout is generous, so that tests pass on a busy machine.
      project('unit', ['{apps,libs}/**/*.spec.ts', 'test/docs/**/*.spec.ts', '!**/*.int.spec.ts'], {
        testTimeout: 60_000,
        // Pure code has no side effects on the next file, and a process per file would cost more than its tests.
        isolate: false,
        maxWorkers: availableParallelism(),
      }),
      project('int', ['{apps,libs}/**/*.int.spec.ts'], services),
      project('contract', ['test/contract/**/*.spec.ts'], services),
      project('e2e', ['test/e2e/**/*.spec.ts'], services),
      project('abuse', ['test/abuse/**/*.spec.ts'], services),
      project('boot', ['test/boot/**/*.spec.ts'], services),
      project('deployment', ['test/deployment/**/*.spec.ts'], services),
      project('docker', ['test/docker/**/*.spec.ts'], {
        globalSetup: ['test/support/docker/docker.setup.ts'],
        testTimeout: 600_000,
        hookTimeout: 600_000,
        ...beside,
      }),
      project('fault', ['test/fault/**/*.spec.ts'], { ...services, testTimeout: 300_000 }),
    ],
  },
});
