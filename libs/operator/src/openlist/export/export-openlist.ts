import { DONE, FAILED, INTERRUPTED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { firstErrorOf, reasonOf } from '@keyfold/reporting';
import type { OperatorOutput } from '../../command-run.js';
import { OpenlistDatabase } from '../database/openlist-database.js';
import { UnusableOpenlistDatabase } from '../database/openlist-file.js';
import { passwordMarkOf } from '../import/import-marks.js';
import { counted } from '../../output/printable.js';
import type { ExportedAccount, ExportLine, LeftBehind } from './export-accounts.js';
import { OpenlistWriter, UnwritableExport } from './openlist-writer.js';

/** `passwordsFrom` is the database that was imported. */
type Given = Readonly<{ file: string; passwordsFrom?: string | undefined }>;

/**
 * `send` runs the request in the process that has the store open. `confirm` returns why the accounts must not get new passwords, or
 * undefined if they may.
 */
export type ExportRun = Readonly<{
  send(output: OperatorOutput): Promise<ExitCode>;
  confirm(): Promise<string | undefined>;
  output: OperatorOutput;
  signal: AbortSignal;
}>;

/** Writes the accounts and the changed settings to a database with which OpenList starts. */
export async function exportOpenlist({ file: path, passwordsFrom }: Given, run: ExportRun): Promise<ExitCode> {
  try {
    using old = passwordsFrom === undefined ? undefined : new OpenlistDatabase(passwordsFrom);
    using file = new OpenlistWriter(path);
    return await exportTo(file, old, run);
  } catch (thrown) {
    const error = firstErrorOf(thrown);
    if (!(error instanceof UnusableOpenlistDatabase || error instanceof UnwritableExport)) throw error;
    await run.output.err(`${reasonOf(thrown)}. Nothing was written`);
    return error instanceof UnusableOpenlistDatabase ? WRONG_USAGE : FAILED;
  }
}

async function exportTo(
  file: OpenlistWriter,
  old: OpenlistDatabase | undefined,
  { send, confirm, output, signal }: ExportRun,
): Promise<ExitCode> {
  const left: LeftBehind = {};
  let failure: unknown;
  const receiving: OperatorOutput = {
    ...output,
    out: async (text) => {
      try {
        const line = JSON.parse(text) as ExportLine;
        if ('setting' in line) return file.addSetting(line.setting);
        for (const [kind, count] of Object.entries(line.left) as [keyof LeftBehind, number][])
          left[kind] = (left[kind] ?? 0) + count;
        if ('account' in line) return file.addAccount(line.account, old && oldPasswordOf(line.account, old));
        file.setLastId(line.lastId);
      } catch (error) {
        failure ??= error;
        throw error;
      }
    },
    // The process with the store reports a failure of this one, too.
    err: async (line) => (failure === undefined ? output.err(line) : undefined),
  };
  const exitCode = await send(receiving).catch((error: unknown) => {
    throw failure ?? error;
  });
  if (failure !== undefined) throw failure;
  if (exitCode !== DONE) return exitCode;
  if (signal.aborted) return INTERRUPTED;
  const { accounts, keys, settings, newPasswords } = file.counts;
  await output.out(
    `${counted(accounts, 'account')} with ${counted(keys, 'SSH key')}, and ${counted(settings, 'changed setting')}`,
  );
  const leftText = leftTextOf(left);
  if (leftText !== '') await output.out(`Left behind: ${leftText}`);
  if (newPasswords > 0) {
    await output.out(`${counted(newPasswords, 'account')} cannot keep the password and will get a new one`);
    const refusal = await confirm();
    if (refusal !== undefined) {
      await output.err(`${refusal}. Nothing was written`);
      return WRONG_USAGE;
    }
  }
  file.finish();
  await output.out(`Wrote ${file.path}`);
  if (newPasswords > 0) await output.out(`Wrote the new passwords to ${file.passwordsPath}. Delete it after use`);
  return DONE;
}

/** Returns the password in the database that was imported, if it is still the present one. */
function oldPasswordOf({ imported }: ExportedAccount, old: OpenlistDatabase) {
  const password = imported && old.passwordOf(imported.id);
  return password && passwordMarkOf(password.salt) === imported.passwordMark ? password : undefined;
}

const LEFT_NOUNS: Readonly<Record<keyof LeftBehind, readonly [one: string, many?: string]>> = {
  sessions: ['session'],
  accessTokens: ['access token'],
  appPasswords: ['app password'],
  recoveryCodes: ['set of recovery codes', 'sets of recovery codes'],
  expiringKeys: ['SSH key with an expiry', 'SSH keys with an expiry'],
};

/** Lists what is left behind, in words. */
const leftTextOf = (left: LeftBehind) =>
  (Object.keys(LEFT_NOUNS) as (keyof LeftBehind)[])
    .flatMap((kind) => (left[kind] ? [counted(left[kind], ...LEFT_NOUNS[kind])] : []))
    .join(', ');
