import { makeBackup, requireStore, restoreBackup } from '@keyfold/operator';
import type { GivenArgs, GivenDirectly } from '@keyfold/operator/commands';
import type { ExitCode } from '@keyfold/process';
import { openMongoStore, openMongoToFill, openSqliteLog, openSqliteToFill } from '@keyfold/wiring';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { readCliSealingKeys, readCliSettings, type CliSettings } from './cli.settings.js';
import { runOnConfiguredStore } from './run-on-configured-store.js';
import { terminal } from './terminal.js';
import { exitingOn, readText, refuseInput } from './text-input.js';

/** Reads the store beside its service, and records the folder in it. */
export async function backUp(given: GivenArgs<'backup'>, signal: AbortSignal): Promise<ExitCode> {
  const settings = readCliSettings(process.env);
  if (settings.KEYFOLD_STORE === 'sqlite') requireStore(settings.KEYFOLD_DATA_DIR);
  const files = await readFiles({ passphrase: given.passphraseFile }, signal);
  if ('problem' in files) return refuseInput(files.problem);
  const path = resolve(given.folder);
  // Before the cut, so that an erasure in the meantime names the folder.
  const madeAt = Date.now();
  return makeBackup(
    { folder: path, recipients: given.recipients, ...files },
    {
      store: settings.KEYFOLD_STORE,
      openLog: () => exitingOn(signal, () => openLog(settings)),
      record: () => runOnConfiguredStore({ command: 'backup', args: { path, host: hostname(), madeAt } }, signal),
      sealingKeys: knownSealingKeys(settings),
      now: () => Date.now(),
      output: terminal,
      signal,
    },
  );
}

const openLog = (settings: CliSettings) =>
  settings.KEYFOLD_STORE === 'sqlite'
    ? openSqliteLog(settings.KEYFOLD_DATA_DIR)
    : openMongoStore(settings.KEYFOLD_MONGODB_URI, { prepare: false });

/** Fills the configured store. */
export async function restore(given: GivenDirectly<'restore'>, signal: AbortSignal): Promise<ExitCode> {
  const settings = readCliSettings(process.env);
  const names = { passphrase: given.passphraseFile, identities: given.identityFile, erasures: given.erasures };
  const files = await readFiles(names, signal);
  if ('problem' in files) return refuseInput(files.problem);
  return restoreBackup(
    { folder: resolve(given.folder), at: given.at, dryRun: given.dryRun, ...files },
    {
      store: settings.KEYFOLD_STORE,
      openTarget: () => exitingOn(signal, () => openTarget(settings)),
      sealingKeys: knownSealingKeys(settings),
      sessionDays: settings.KEYFOLD_SESSION_DAYS,
      output: terminal,
      signal,
    },
  );
}

const openTarget = (settings: CliSettings) =>
  settings.KEYFOLD_STORE === 'sqlite'
    ? openSqliteToFill(settings.KEYFOLD_DATA_DIR, 'restore', { startOver: true })
    : openMongoToFill(settings.KEYFOLD_MONGODB_URI, 'keyfold restore', { startOver: true });

/** Returns the keys of the settings or of the data folder, without creating any. */
function knownSealingKeys(settings: CliSettings): string | undefined {
  const keys = readCliSealingKeys(process.env, 'sqlite', 'restore');
  if (keys !== undefined || settings.KEYFOLD_STORE === 'mongodb') return keys;
  const path = join(settings.KEYFOLD_DATA_DIR, 'sealing-key');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : undefined;
}

type Contents<Names> = { readonly [Name in keyof Names]?: string };

/** Returns the contents of the named files under the same names, without trailing newlines, or the reason why one cannot be read. */
async function readFiles<Names extends Readonly<Record<string, string | undefined>>>(
  names: Names,
  signal: AbortSignal,
): Promise<Contents<Names> | { problem: string }> {
  const contents = new Map<string, string>();
  for (const [name, file] of Object.entries(names)) {
    if (file === undefined) continue;
    const input = await readText(file, signal);
    if ('problem' in input) return input;
    if (input.text.trim() === '') return { problem: `${file} is empty` };
    contents.set(name, input.text.replace(/\r?\n$/, ''));
  }
  return Object.fromEntries(contents) as Contents<Names>;
}
