// Compiles an app and bundles its modules into a few files, which start faster than two thousand modules (docs/decisions/0036).
import { statSync } from 'node:fs';
import { basename, isAbsolute, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { rolldown } from 'rolldown';
import { bundleConsole } from './console.mjs';

const root = join(import.meta.dirname, '..');
/** Packages that are not bundled: native code, and code that locates files or threads beside itself, is patched, or breaks in a bundle. */
export const KEPT = [
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
/** The entry points of the threads, by file name. The code that starts them finds them in the folder of the built app. */
const THREADS = { 'sqlite-writer.worker': 'libs/event-store/src/sqlite/sqlite-writer.worker.ts' };
const API_THREADS = { ...THREADS, 'serving-thread.worker': 'apps/gateway/src/threads/serving-thread.worker.ts' };
/** Whether an app serves the API, and with it the console. */
const servesApi = (entry) => /^apps\/(gateway|standalone)\//.test(entry);

/** Selects the few packages to exclude from the bundle of a built app. */
export const isKept = (id) => KEPT.some((name) => id === name || id.startsWith(`${name}/`));

/** Selects all packages. A bundle without packages takes a fraction of a second, for apps that are rebuilt on every change. */
export const isPackage = (id) => !isAbsolute(id) && !/^(?:[.\0]|@keyfold\/|@oxc-project\/)/.test(id);

/**
 * Writes the bundle of an entry point into a folder and returns the project files that it depends on.
 * @throws an error whose message names the place in the source.
 */
export async function bundle(entry, folder, external = isKept) {
  try {
    return await written(entry, folder, external);
  } catch ({ message }) {
    throw new Error(process.stderr.hasColors?.() ? message : stripVTControlCharacters(message));
  }
}

/**
 * The main entry point of class-validator loads all its parts and a table of the world's phone numbers, 2 MB of memory in each thread. Our code
 * imports the ES modules, so unused parts are dropped. Nest's unused ValidationPipe still refers to the CommonJS build.
 */
const partsOfClassValidator = {
  name: 'parts-of-class-validator',
  resolveId: {
    filter: { id: /^class-validator$/ },
    handler(id, importer) {
      if (importer && !importer.includes('node_modules'))
        return this.resolve('class-validator/esm2015/index.js', importer);
    },
  },
};

async function written(entry, folder, external) {
  const build = await rolldown({
    cwd: root,
    input: { [basename(entry, '.ts')]: entry, ...(servesApi(entry) ? API_THREADS : THREADS) },
    platform: 'node',
    // Contains the aliases and the decorator options.
    tsconfig: 'tsconfig.json',
    external,
    plugins: [partsOfClassValidator],
    onLog: (level, log, report) => isExpected(log) || report(level, log),
  });
  try {
    await build.write({
      dir: folder,
      cleanDir: true,
      // Packages rely on the execution order of modules: decorators need reflect-metadata to run first.
      strictExecutionOrder: true,
      // Nest logs and compares class names.
      keepNames: true,
      sourcemap: true,
      comments: { legal: true, annotation: false, jsdoc: false },
      // V8 keeps the source in memory, with two bytes a character if one of them needs two.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
      chunkFileNames: '[name]-[hash].js',
    });
    const ofConsole = servesApi(entry) ? await bundleConsole(join(folder, 'console')) : [];
    const files = [...(await build.watchFiles).map((file) => relative(root, file)), ...ofConsole];
    return files.filter((file) => !/^(?:node_modules|\.\.)/.test(file));
  } finally {
    await build.close();
  }
}

/**
 * Returns the first of the given project files that was written, replaced or removed since `moment` (unix milliseconds). Compares the
 * ctime, because a file that is moved into place keeps its mtime.
 */
export const changedSource = (files, moment) =>
  files.find((file) => (statSync(join(root, file), { throwIfNoEntry: false })?.ctimeMs ?? Infinity) > moment);

/** Packages such as Nest try to load optional packages and work without them. */
const isExpected = ({ code, id = '' }) =>
  (code === 'UNRESOLVED_IMPORT' && id.includes('node_modules')) || (code === 'EVAL' && id.includes('node_modules'));
