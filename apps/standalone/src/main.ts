import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// The compile cache speeds up the startup, so it must be enabled before any other import.
enableCompileCache(join(import.meta.dirname, '../../../.compile-cache'));
const { startStandalone } = await import('./start.js');
await startStandalone();
// A killed process would not write the cache.
flushCompileCache();
