import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** One project per cost, so that each kind runs alone: `npx vitest run --project unit`. */
const project = (name: string, include: string[], slow = {}) => ({
  extends: true as const,
  test: { name, include, ...slow },
});
/** Finds or starts the services that tests use, once a run: MongoDB at once, RabbitMQ when a hook or a test asks for it. */
const services = {
  globalSetup: ['test/support/mongo/mongo.setup.ts', 'test/support/rabbitmq/rabbitmq.setup.ts'],
  hookTimeout: 90_000,
};
const process = { ...services, testTimeout: 120_000 };
/**
 * At least so many files side by side, because they wait for processes most of the time. Projects that differ in this run one after
 * another, in the order of `group`.
 */
const atLeast = (files: number, group: number) => ({
  maxWorkers: Math.max(availableParallelism() - 1, files),
  sequence: { groupOrder: group },
});

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { tsconfigPaths: true },
  test: {
    projects: [
      project('unit', ['{apps,libs}/**/*.spec.ts', '!**/*.int.spec.ts']),
      project('int', ['{apps,libs}/**/*.int.spec.ts'], { ...services, testTimeout: 60_000 }),
      project('contract', ['test/contract/**/*.spec.ts'], { ...process, ...atLeast(2, 1) }),
      project('e2e', ['test/e2e/**/*.spec.ts'], { ...process, ...atLeast(2, 1) }),
      project('boot', ['test/boot/**/*.spec.ts'], { ...process, ...atLeast(3, 2) }),
      // It starts what it needs by itself; one file at a time, because each is several processes.
      project('deployment', ['test/deployment/**/*.spec.ts'], {
        testTimeout: 200_000,
        hookTimeout: 200_000,
        maxWorkers: 1,
        sequence: { groupOrder: 3 },
      }),
      project('fault', ['test/fault/**/*.spec.ts'], { ...process, testTimeout: 300_000, ...atLeast(3, 2) }),
    ],
  },
});
