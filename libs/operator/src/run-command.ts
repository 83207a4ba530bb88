import { DomainError, type DomainErrorCode } from '@keyfold/domain';
import { isRetryable } from '@keyfold/event-store';
import { refusalFor } from '@keyfold/http-envelope';
import { exitCodeOf, explain, FAILED, INTERRUPTED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { operatorCommand, readSent } from './commands/index.js';
import { refuseInput, type OperatorPorts } from './command-run.js';
import type { OperatorOutput } from './output/operator-output.js';
import type { SocketRequest } from './socket/operator-socket.js';

/** Runs a request. It may come from another version of `keyfold`, so its name and arguments are validated. */
export async function runCommand(
  ports: OperatorPorts,
  { command: name, args }: SocketRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  const command = operatorCommand(name);
  const values = command && readSent(command.fields, args);
  if (!values) {
    await output.err(`this version of keyfold does not support the command "${name}" with these arguments`);
    return WRONG_USAGE;
  }
  try {
    return await command.run(values, { ports, output, signal });
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    if (error instanceof DomainError) {
      const exitCode = await refuseInput(refusalText(error), { output });
      return isUnusablePassword(error) ? exitCode : FAILED;
    }
    await output.err(isRetryable(error) ? `${error.message}. Try again later` : explain(error));
    return exitCodeOf(error);
  }
}

/** The policy refuses a password like an empty one: as invalid usage. */
const isUnusablePassword = ({ code }: DomainError) => code.startsWith('password-too-');

/** Texts for refusals whose text on the wire is kept for clients and does not help an operator. */
const texts: Partial<Record<DomainErrorCode, string>> = {
  'username-taken': 'another account has this name',
  'account-not-found': 'the account was deleted meanwhile',
  'user-invalid': 'the account was deleted meanwhile',
  'role-unchangeable': 'the role of an account cannot change',
  'admin-undisableable': 'an administrator cannot be disabled',
  'admin-or-guest-undeletable': 'the guest and administrators cannot be deleted',
  'ssh-key-not-found': 'the account has no such SSH key',
  'session-not-found': 'the account has no such session',
  'access-token-not-found': 'the account has no such access token',
  'app-password-not-found': 'the account has no such app password',
  'deleted-setting-not-found': 'there is no such setting',
  'setting-not-deprecated': 'Keyfold knows this setting. Use "keyfold settings reset"',
};

/** compat: the refusals of settings name a hook of the original. */
const HOOK = /^failed to execute hook on (\w+): /;

/** Returns why a command was refused, without a full stop. */
const refusalText = (error: DomainError): string =>
  texts[error.code] ?? refusalFor(error).message.replace(HOOK, '$1: ');
