// Joins the modules of a compiled app, its packages included, into few files: a start is a quarter quicker when it need not find
// two thousand of them (docs/decisions/0036).
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages that stay what they are: native code, code that finds files or threads beside itself, that is patched, or that breaks. */
const KEPT = [
  '@fastify/static',
  '@node-rs/argon2',
  'amqplib',
  'bson',
  'mongodb',
  'mongoose',
  'pino',
  'pino-pretty',
  'reflect-metadata',
  'swagger-ui-dist',
];
/** Threads that a store starts, by the names that it gives them; all files of an app lie side by side, so it finds them there. */
const THREADS = { 'sqlite-writer.worker': 'libs/event-store/src/sqlite/sqlite-writer.worker.js' };

/** Replaces the compiled apps in `dist` by bundles with the same entry points. */
export async function bundleApps(dist, apps) {
  const bundles = join(dist, 'bundles');
  for (const app of apps) {
    const threads = Object.entries(THREADS).map(([name, file]) => [name, join(dist, file)]);
    const bundle = await rolldown({
      input: { main: join(dist, `apps/${app}/src/main.js`), ...Object.fromEntries(threads) },
      platform: 'node',
      external: (id) => KEPT.some((name) => id === name || id.startsWith(`${name}/`)),
      onLog: (level, log, tell) => isExpected(log) || tell(level, log),
    });
    await bundle.write({
      dir: join(bundles, app, 'src'),
      // Packages rely on the order in which modules run: decorators need reflect-metadata before them.
      strictExecutionOrder: true,
      // Nest shows and compares names of classes.
      keepNames: true,
      sourcemap: true,
      chunkFileNames: '[name]-[hash].js',
    });
    await bundle.close();
  }
  rmSync(join(dist, 'apps'), { recursive: true });
  renameSync(bundles, join(dist, 'apps'));
}

/** Nest and others look for packages that need not be there, and do without them. */
const isExpected = ({ code, id = '' }) =>
  (code === 'UNRESOLVED_IMPORT' && id.includes('node_modules')) || (code === 'EVAL' && id.includes('node_modules'));
