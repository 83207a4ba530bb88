import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// The compile cache speeds up every run, so it must be enabled before any other import.
enableCompileCache(join(import.meta.dirname, '../../../.compile-cache'));
const { runCommandLine } = await import('./command-line.js');
process.exitCode = await runCommandLine(process.argv.slice(2));
flushCompileCache();
