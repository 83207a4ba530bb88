#!/usr/bin/env node
// The operator's command, also where npm has linked it.
process.argv.splice(2, 0, 'cli');
await import('./start.mjs');
