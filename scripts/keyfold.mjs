#!/usr/bin/env node
// The `keyfold` command, under the name that npm links.
process.argv.splice(2, 0, 'cli');
await import('./start.mjs');
