import { defineConfig } from 'vitest/config';

/** One project per cost, so that each kind runs alone: `npx vitest run --project unit`. */
const project = (name: string, include: string[], slow = {}) => ({
  extends: true as const,
  test: { name, include, ...slow },
});
/** Finds or starts a MongoDB, once a run, for the projects whose tests use one. */
const mongo = { globalSetup: 'test/support/mongo/mongo.setup.ts' };
const process = { ...mongo, testTimeout: 120_000, hookTimeout: 90_000 };

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { tsconfigPaths: true },
  test: {
    projects: [
      project('unit', ['{apps,libs}/**/*.spec.ts', '!**/*.int.spec.ts']),
      project('int', ['{apps,libs}/**/*.int.spec.ts'], { ...mongo, testTimeout: 60_000 }),
      project('contract', ['test/contract/**/*.spec.ts'], process),
      project('e2e', ['test/e2e/**/*.spec.ts'], process),
      project('boot', ['test/boot/**/*.spec.ts'], process),
      project('fault', ['test/fault/**/*.spec.ts'], { ...mongo, testTimeout: 300_000, hookTimeout: 90_000 }),
    ],
  },
});
