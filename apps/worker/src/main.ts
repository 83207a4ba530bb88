import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Caches compiled code, which makes later starts much faster. Must run before any other import.
enableCompileCache(join(import.meta.dirname, '../../../.compile-cache'));
const { startWorker } = await import('./start.js');
await startWorker();
// Written now, because a killed process writes nothing.
flushCompileCache();
