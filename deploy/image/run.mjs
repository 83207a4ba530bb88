// What a container does: `gateway`, `worker` or `standalone` is a process, every other command line one of the operator.
const words = process.argv.slice(2);
const isProcess = ['gateway', 'worker', 'standalone'].includes(words[0]);
const app = isProcess ? words[0] : 'cli';
const main = `${import.meta.dirname}/dist/apps/${app}/src/main.js`;
// The app sees its own command line. It runs in this process, which Docker signals.
process.argv.splice(1, Infinity, main, ...words.slice(isProcess ? 1 : 0));
await import(main);
