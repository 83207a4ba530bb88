export { serviceVersion } from '../service-version.js';

/** The major version of Node that the apps are built for. */
const NODE = 24;

/**
 * Runs a built app from the folder of its entry point. Ends the process with status 78 (EX_CONFIG) if Node is too old. Entry points import
 * nothing else statically: an old Node cannot link their code, and the compile cache must be enabled before it is loaded.
 */
export async function launch(folder: string, run: () => Promise<void>): Promise<void> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major < NODE) {
    console.error(
      `Keyfold needs Node ${NODE} or later, but ${process.execPath} is ${process.version}. Install Node ${NODE}, or run "npm ci" and start Keyfold with npm.`,
    );
    process.exit(78);
  }
  const { enableCompileCache, flushCompileCache } = await import('node:module');
  await keepBuild(folder);
  enableCompileCache(`${folder}/../.compile-cache`);
  await run();
  // A killed process would not write the cache.
  flushCompileCache();
}

/** Locks the build until the process ends, because threads and some code are loaded later: scripts/build.mjs removes no locked build. */
async function keepBuild(folder: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    const lock = new DatabaseSync(`${folder}/in-use`, { readOnly: true });
    lock.exec('BEGIN; SELECT 1 FROM sqlite_schema');
    process.once('exit', () => lock.close());
  } catch {
    // Only scripts/build.mjs makes this file.
  }
}
