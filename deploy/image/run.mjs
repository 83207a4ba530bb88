// Entry point of the image: `gateway`, `worker` and `standalone` start a process; anything else is an operator command.
const words = process.argv.slice(2);
const isProcess = ['gateway', 'worker', 'standalone'].includes(words[0]);
const app = isProcess ? words[0] : 'cli';
const main = `${import.meta.dirname}/dist/apps/${app}/src/main.js`;
// The app gets its own command line, and runs in this process so that it receives Docker's signals.
process.argv.splice(1, Infinity, main, ...words.slice(isProcess ? 1 : 0));
await import(main);
