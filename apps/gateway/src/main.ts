import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Caching compiled code shortens startup considerably. It must be enabled before anything else is imported.
enableCompileCache(join(import.meta.dirname, '../../../.compile-cache'));
const { startGateway } = await import('./start.js');
await startGateway();
// The cache is written now, because a killed process writes nothing.
flushCompileCache();
