#!/usr/bin/env node
// The operator's command, which npm links as `keyfold`.
process.argv.splice(2, 0, 'cli');
await import('./start.mjs');
