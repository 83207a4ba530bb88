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
  // The cache is in `dist`.
  enableCompileCache(`${folder}/../../../.compile-cache`);
  await run();
  // A killed process would not write the cache.
  flushCompileCache();
}
