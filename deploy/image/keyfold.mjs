#!/usr/bin/env node
// The `keyfold` command of the archive and the image: `start`, `gateway` and `worker` run a process, anything else is an operator command.
import { readFileSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

const PROCESSES = { start: 'standalone', gateway: 'gateway', worker: 'worker' };
const SETTINGS_FILE = '/etc/keyfold/keyfold.env';

readSettingsFile();
const [word = '', ...rest] = process.argv.slice(2);
if (!Object.hasOwn(PROCESSES, word)) await run('cli', process.argv.slice(2));
else if (rest.length === 0) await run(PROCESSES[word], []);
else
  refuse(`"keyfold ${word}" takes no arguments. Its settings are environment variables, or lines of ${SETTINGS_FILE}`);

/** Runs an app in this process, so that it receives signals. */
async function run(app, words) {
  const main = `${import.meta.dirname}/dist/apps/${app}/src/main.js`;
  process.argv.splice(1, Infinity, main, ...words);
  await import(main);
}

/** Adds the settings of the file to those of the environment, which win. */
function readSettingsFile() {
  const named = process.env.KEYFOLD_ENV_FILE;
  // It is a setting of this command, not of the apps.
  delete process.env.KEYFOLD_ENV_FILE;
  const file = named || SETTINGS_FILE;
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    // Node ignores such lines.
    const wrong = lines.findIndex((line) => !/^\s*(?:#|$|[A-Za-z_]\w*\s*=)/.test(line));
    if (wrong >= 0) refuse(`${file}, line ${wrong + 1}: write NAME=value, or # before a comment`);
    loadEnvFile(file);
  } catch (error) {
    if (named || error.code !== 'ENOENT') refuse(`cannot read the settings: ${error.message}`);
  }
}

/** Ends the process with status 78 (EX_CONFIG). */
function refuse(message) {
  console.error(`keyfold: ${message}`);
  process.exit(78);
}
