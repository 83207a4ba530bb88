// npm start, npm run start:gateway and so on: builds the app if its sources changed, and becomes the app. Signals reach the app, and its exit code is passed on.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(`Node ${process.version} is too old: run "npm ci", which brings Node 24, and start with "npm start"`);
  process.exit(1);
}
// Only now, because an old Node cannot even read it.
const { built } = await import('./build.mjs');
const [app = 'standalone', ...parameters] = process.argv.slice(2);
const main = built(`apps/${app}/src/main.ts`);
// The app sees its own command line.
process.argv.splice(1, Infinity, main, ...parameters);
await import(main);
