import { adoptOpenlistUsers, exportOpenlist, parseSettings, quoted, type OperatorOutput } from '@keyfold/operator';
import type { GivenArgs, OperatorRequest } from '@keyfold/operator/commands';
import { isSealedSetting } from '@keyfold/domain';
import { reasonOf } from '@keyfold/reporting';
import { DONE, FAILED, INTERRUPTED, type ExitCode } from '@keyfold/process';
import { open, unlink } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { runOnConfiguredStore, runWithSession, sealingKeysFor } from './run-on-configured-store.js';
import { terminal } from './terminal.js';
import { exitingOn, isTyped, readPassword, readText, readValue, refuseInput } from './text-input.js';

/** Sets a password from a file, the terminal or standard input. */
export const setPassword = (
  { username, passwordFile: file }: GivenArgs<'account set-password'>,
  signal: AbortSignal,
): Promise<ExitCode> =>
  runWithPassword({ username, file, signal, check: () => requireAccount(username, signal) }, (password) => ({
    command: 'account set-password',
    args: { username, password },
  }));

/** Creates an account with a password from a file, the terminal or standard input. */
export const createAccount = (
  { passwordFile: file, ...account }: GivenArgs<'account create'>,
  signal: AbortSignal,
): Promise<ExitCode> =>
  runWithPassword(
    { username: account.username, file, signal, check: () => requireNewName(account.username, signal) },
    (password) => ({ command: 'account create', args: { ...account, password } }),
  );

/** Deletes an account. Asks on the terminal first, unless it is confirmed. */
export async function deleteAccount(
  { username, yes }: GivenArgs<'account delete'>,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (!yes) {
    if (!process.stdin.isTTY) return refuseInput('without a terminal, --yes must confirm the deletion');
    const exitCode = await requireAccount(username, signal);
    if (exitCode !== DONE) return exitCode;
    if (!(await isAgreed(`Delete ${quoted(username)} with its keys and sessions? Type "yes": `, signal)))
      return refuseInput('the deletion was not confirmed');
  }
  return runOnConfiguredStore({ command: 'account delete', args: { username } }, signal);
}

/** Erases a deleted account. Asks on the terminal first, unless it is confirmed. */
export async function eraseAccount(
  { yes, ...args }: GivenArgs<'account erase'>,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (!yes) {
    if (!process.stdin.isTTY) return refuseInput('without a terminal, --yes must confirm the erasure');
    if (!(await isAgreed(`Erase everything about account ${args.id} for good? Type "yes": `, signal)))
      return refuseInput('the erasure was not confirmed');
  }
  return runOnConfiguredStore({ command: 'account erase', args }, signal);
}

/** Writes a database of OpenList. Asks on the terminal before accounts get new passwords, unless that is confirmed. */
export function exportAccounts(
  { resetPasswords, ...given }: GivenArgs<'export openlist'>,
  signal: AbortSignal,
): Promise<ExitCode> {
  const confirm = async () => {
    if (resetPasswords) return undefined;
    if (!process.stdin.isTTY) return 'without a terminal, --reset-passwords must confirm the new passwords';
    return (await isAgreed('Write them and the database? Type "yes": ', signal))
      ? undefined
      : 'the new passwords were not confirmed';
  };
  const send = (output: OperatorOutput) =>
    runOnConfiguredStore({ command: 'export openlist', args: {} }, signal, output);
  return exportOpenlist(given, { send, confirm, output: terminal, signal });
}

/** Makes users of OpenList the mirrors of accounts. Asks on the terminal first, unless it is confirmed. */
export function adoptUsers({ names, yes }: GivenArgs<'openlist adopt'>, signal: AbortSignal): Promise<ExitCode> {
  const confirm = async () => {
    if (yes) return undefined;
    if (!process.stdin.isTTY) return 'without a terminal, --yes must confirm the adoption';
    return (await isAgreed('Adopt them? Type "yes": ', signal)) ? undefined : 'the adoption was not confirmed';
  };
  return runWithSession(signal, (send) => adoptOpenlistUsers({ names }, { send, confirm, output: terminal, signal }));
}

const SECRET_ARGUMENT =
  'the value of this setting is secret or Keyfold does not know the setting, and a secret cannot be an argument. ' +
  'Type it at the prompt, pipe it in or use --value-file';

/** Sets a setting to the value of the command line, of a file, the terminal or standard input. */
export async function setSetting(
  { word, valueFile, ...args }: GivenArgs<'settings set'>,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (word !== undefined && isSealedSetting(args.key)) return refuseInput(SECRET_ARGUMENT);
  const input = word === undefined ? await readValue(args.key, valueFile, signal) : { text: word };
  if ('problem' in input) return refuseInput(input.problem);
  return runOnConfiguredStore({ command: 'settings set', args: { ...args, value: input.text } }, signal);
}

/** Imports settings from a file or standard input. */
export async function importSettings(
  { file, ...args }: GivenArgs<'settings import'>,
  signal: AbortSignal,
): Promise<ExitCode> {
  const input = await readText(file, signal);
  if ('problem' in input) return refuseInput(input.problem);
  const parsed = parseSettings(input.text);
  if ('problem' in parsed) return refuseInput(parsed.problem);
  return runOnConfiguredStore({ command: 'settings import', args: { ...args, settings: parsed.settings } }, signal);
}

/** Exports settings to a new file that only its owner can read, or to standard output. */
export async function exportSettings(
  { file, ...args }: GivenArgs<'settings export'>,
  signal: AbortSignal,
): Promise<ExitCode> {
  const request = { command: 'settings export', args } as const;
  if (file === undefined) return runOnConfiguredStore(request, signal);
  const lines: string[] = [];
  const output = { ...terminal, out: async (line: string) => void lines.push(line) };
  const exitCode = await runOnConfiguredStore(request, signal, output);
  return exitCode === DONE ? writeNew(file, `${lines.join('\n')}\n`) : exitCode;
}

type PasswordPrompt = Readonly<{
  username: string;
  file: string | undefined;
  signal: AbortSignal;
  /** Returns why asking for a password would be useless, or `DONE`. */
  check: () => Promise<ExitCode>;
}>;

async function runWithPassword(
  { username, file, signal, check }: PasswordPrompt,
  request: (password: string) => OperatorRequest,
): Promise<ExitCode> {
  // Report invalid settings and names before the password prompt.
  sealingKeysFor(request(''));
  if (isTyped(file)) {
    const exitCode = await check();
    if (exitCode !== DONE) return exitCode;
  }
  const input = await readPassword(username, file, signal);
  return 'problem' in input ? refuseInput(input.problem) : runOnConfiguredStore(request(input.text), signal);
}

/** Returns `DONE` if the account exists; otherwise reports it. */
const requireAccount = (username: string, signal: AbortSignal, output = terminal): Promise<ExitCode> =>
  runOnConfiguredStore({ command: 'account exists', args: { username } }, signal, output);

/** Returns `DONE` unless an account has the name, which is reported. The command itself reports other problems. */
async function requireNewName(username: string, signal: AbortSignal): Promise<ExitCode> {
  const exitCode = await requireAccount(username, signal, { ...terminal, err: async () => undefined });
  if (exitCode !== DONE) return exitCode === INTERRUPTED ? exitCode : DONE;
  await terminal.err(`another account has the name ${quoted(username)}. Nothing was changed`);
  return FAILED;
}

async function isAgreed(question: string, signal: AbortSignal): Promise<boolean> {
  const keyboard = createInterface({ input: process.stdin, output: process.stderr });
  // The line editor consumes Ctrl-C. Nothing has been changed yet.
  keyboard.on('SIGINT', () => process.exit(INTERRUPTED));
  const closed = new Promise<string>((resolve) => keyboard.once('close', () => resolve('')));
  try {
    const answer = await exitingOn(signal, () => Promise.race([keyboard.question(question), closed]));
    return answer.trim() === 'yes';
  } finally {
    keyboard.close();
  }
}

async function writeNew(path: string, text: string): Promise<ExitCode> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => reasonOf(error));
  if (typeof file === 'string') {
    await terminal.err(`keyfold: cannot create the file: ${file}. Name a new file in an existing folder`);
    return FAILED;
  }
  try {
    await file.writeFile(text);
    return DONE;
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}
