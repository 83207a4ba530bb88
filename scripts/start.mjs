// npm start: builds the app when needed and becomes it. Signals reach the app, and its exit code is passed on.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(`Node ${process.version} is too old: run "npm ci", which brings Node 24, and start with "npm start"`);
  process.exit(1);
}
// Only now, because an old Node cannot even read it.
const { builtApp } = await import('./build.mjs');
await import(builtApp(process.argv[2] ?? 'standalone'));
