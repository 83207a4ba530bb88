import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Compiled code is kept between runs, which saves a good part of each; so it must be on before anything else is imported.
enableCompileCache(join(import.meta.dirname, '../../../.compile-cache'));
const { runCommandLine } = await import('./command-line.js');
process.exitCode = await runCommandLine(process.argv.slice(2));
flushCompileCache();
