import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Compiled code is kept between starts, which saves a good part of the start-up; so it must be on before anything else is imported.
enableCompileCache(join(import.meta.dirname, '../../../.compile-cache'));
const { startWorker } = await import('./start.js');
await startWorker();
// Now, because a process that is killed writes nothing.
flushCompileCache();
