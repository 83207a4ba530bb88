import { enableCompileCache, flushCompileCache } from 'node:module';

// Compiled code is kept between starts, which saves a good part of the start-up; so it must be on before anything else is imported.
enableCompileCache();
const { startOrExit } = await import('./start.js');
await startOrExit();
// Now, because a process that is killed writes nothing.
flushCompileCache();
