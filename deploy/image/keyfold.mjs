#!/usr/bin/env node
// The `keyfold` command of the archive and the image: `start`, `gateway` and `worker` run a process, anything else is an operator command.
import { readFileSync } from 'node:fs';

const PROCESSES = { start: 'standalone', gateway: 'gateway', worker: 'worker' };
const SETTINGS_FILE = '/etc/keyfold/keyfold.env';
/** A line `NAME=value` with the value as it stands, or in quotes. */
const SETTING = /^[ \t]*((?:KEYFOLD|OPENLIST|OTEL)_\w+)[ \t]*=[ \t]*(?:"(.*)"|'(.*)'|(.*?))\s*$/;

const words = process.argv.slice(2);
const [word = '--help', ...rest] = words;
const asksForHelp = /^(?:--help|-h|--version|help)$/;
if (asksForHelp.test(word)) await run('cli', [word, ...rest]);
else if (!Object.hasOwn(PROCESSES, word)) await runWithSettings('cli', words);
else if (rest.length === 0) await runWithSettings(PROCESSES[word], []);
else if (asksForHelp.test(rest[0])) await run('cli', ['--help']);
else
  refuse(`"keyfold ${word}" takes no arguments. Its settings are environment variables, or lines of ${SETTINGS_FILE}`);

async function runWithSettings(app, parameters) {
  readSettingsFile();
  await run(app, parameters);
}

/** Runs an app in this process, so that it receives signals. */
async function run(app, parameters) {
  const main = `${import.meta.dirname}/dist/apps/${app}/src/main.js`;
  process.argv.splice(1, Infinity, main, ...parameters);
  await import(main);
}

/** Adds the settings of the file to those of the environment, which win. */
function readSettingsFile() {
  const named = process.env.KEYFOLD_ENV_FILE;
  // It is a setting of this command, not of the apps.
  delete process.env.KEYFOLD_ENV_FILE;
  const file = named || SETTINGS_FILE;
  for (const [index, line] of linesOf(file, named !== undefined).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, ...values] = SETTING.exec(line) ?? [];
    if (!name) refuse(`${file}, line ${index + 1}: write KEYFOLD_…=value, or # before a comment`);
    process.env[name] ??= values.find((value) => value !== undefined);
  }
}

function linesOf(file, isRequired) {
  try {
    return readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .split('\n');
  } catch (error) {
    if (!isRequired && error.code === 'ENOENT') return [];
    return refuse(`cannot read the settings: ${error.message}`);
  }
}

/** Ends the process with status 78 (EX_CONFIG). */
function refuse(message) {
  console.error(`keyfold: ${message}`);
  process.exit(78);
}
