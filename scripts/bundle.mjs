// Compiles an app from its sources and joins their modules into few files: a start is quicker when it need not find two thousand of them
// (docs/decisions/0036).
import { basename, isAbsolute, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
/** Packages that stay outside a built app: native code, and code that finds files or threads beside itself, is patched, or breaks. */
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
/** Threads that a store starts, under the names that it gives them. All files of an app share a folder, so the store finds them there. */
const THREADS = { 'sqlite-writer.worker': 'libs/event-store/src/sqlite/sqlite-writer.worker.ts' };

/** For apps that are built: every package but the few that must stay outside is joined in. */
export const isKept = (id) => KEPT.some((name) => id === name || id.startsWith(`${name}/`));

/** For apps that run while they are changed: all packages stay outside, so a bundle takes a fraction of a second. */
export const isPackage = (id) => !isAbsolute(id) && !/^(?:[.\0]|@keyfold\/|@oxc-project\/)/.test(id);

/**
 * Writes the bundle of an entry point into a folder and returns the files of the project that it depends on.
 * @throws an error whose message shows the place in the source.
 */
export async function bundle(entry, folder, external = isKept) {
  try {
    return await written(entry, folder, external);
  } catch ({ message }) {
    throw new Error(process.stderr.hasColors?.() ? message : stripVTControlCharacters(message));
  }
}

async function written(entry, folder, external) {
  const build = await rolldown({
    cwd: root,
    input: { [basename(entry, '.ts')]: entry, ...THREADS },
    platform: 'node',
    // Has the aliases, and says how decorators are compiled.
    tsconfig: 'tsconfig.json',
    external,
    onLog: (level, log, report) => isExpected(log) || report(level, log),
  });
  try {
    await build.write({
      dir: folder,
      cleanDir: true,
      // Packages rely on the order in which modules run: decorators need reflect-metadata before them.
      strictExecutionOrder: true,
      // Nest shows and compares names of classes.
      keepNames: true,
      sourcemap: true,
      chunkFileNames: '[name]-[hash].js',
    });
    const files = (await build.watchFiles).map((file) => relative(root, file));
    return files.filter((file) => !/^(?:node_modules|\.\.)/.test(file));
  } finally {
    await build.close();
  }
}

/** Nest and others look for packages that need not be there, and do without them. */
const isExpected = ({ code, id = '' }) =>
  (code === 'UNRESOLVED_IMPORT' && id.includes('node_modules')) || (code === 'EVAL' && id.includes('node_modules'));
