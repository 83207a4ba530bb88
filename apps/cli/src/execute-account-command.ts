import { quoted, type OperatorArgs, type OperatorRequest } from '@keyfold/operator';
import { DONE, FAILED, INTERRUPTED, type ExitCode } from '@keyfold/process';
import { createInterface } from 'node:readline/promises';
import { runInterruptibly, runOnConfiguredStore, sealingKeysFor } from './run-on-configured-store.js';
import { terminal } from './terminal.js';
import { isTyped, readPassword, refuseInput } from './text-input.js';

/** An account to create, whose password comes from elsewhere. */
export type NewAccount = Omit<OperatorArgs<'account create'>, 'password'>;

/** Sets a password from a file, the terminal or standard input. Reports failures and returns the exit status. */
export const executeSetPassword = (username: string, file: string | undefined) =>
  runInterruptibly((signal) =>
    runWithPassword({ username, file, signal, check: () => requireAccount(username, signal) }, (password) => ({
      command: 'account set-password',
      args: { username, password },
    })),
  );

/** Creates an account with a password from a file, the terminal or standard input. Reports failures and returns the exit status. */
export const executeCreateAccount = (account: NewAccount, file: string | undefined) =>
  runInterruptibly((signal) =>
    runWithPassword(
      { username: account.username, file, signal, check: () => requireNewName(account.username, signal) },
      (password) => ({ command: 'account create', args: { ...account, password } }),
    ),
  );

/** Deletes an account. Asks on the terminal first, unless it is confirmed. Reports failures and returns the exit status. */
export const executeDeleteAccount = (username: string, isConfirmed: boolean) =>
  runInterruptibly(async (signal) => {
    if (!isConfirmed) {
      if (!process.stdin.isTTY) return refuseInput('without a terminal, --yes must confirm the deletion');
      const exitCode = await requireAccount(username, signal);
      if (exitCode !== DONE) return exitCode;
      if (!(await isAgreed(`Delete ${quoted(username)} with its keys and sessions? Type "yes": `, signal)))
        return refuseInput('the deletion was not confirmed');
    }
    return runOnConfiguredStore({ command: 'account delete', args: { username } }, signal);
  });

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
  const exit = () => process.exit(INTERRUPTED);
  // The line editor consumes Ctrl-C. Nothing has been changed yet.
  keyboard.on('SIGINT', exit);
  signal.addEventListener('abort', exit);
  const closed = new Promise<string>((resolve) => keyboard.once('close', () => resolve('')));
  try {
    return (await Promise.race([keyboard.question(question), closed])).trim() === 'yes';
  } finally {
    signal.removeEventListener('abort', exit);
    keyboard.close();
  }
}
