// npm start, npm run start:gateway and others: build the app if its sources changed, then run it in this process. So signals reach the app,
// and its exit code is the exit code of the command.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(`Node ${process.version} is too old. Run "npm ci" to install Node 24, then "npm start".`);
  process.exit(1);
}
// After the check, because an old Node cannot parse this module.
const { built } = await import('./build.mjs');
const [app = 'standalone', ...parameters] = process.argv.slice(2);
const main = built(app);
// The app expects its own command line.
process.argv.splice(1, Infinity, main, ...parameters);
await import(main);
