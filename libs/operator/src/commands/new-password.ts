import type { NewPasswords } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { WRONG_USAGE, type ExitCode } from '@keyfold/process';
import type { CommandRun } from './operator-ports.js';
import { refusalText } from './refusal-text.js';

/** Acts with what hashes a new password. Refuses an empty password, and one that the policy refuses, as invalid usage. */
export async function onNewPassword(
  password: string,
  run: CommandRun,
  act: (newPasswords: NewPasswords) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (password === '') return refuseInput('the new password is empty', run);
  try {
    return await act(await run.ports.newPasswords());
  } catch (error) {
    const isRefused = error instanceof DomainError && error.code.startsWith('password-too-');
    if (!isRefused) throw error;
    return refuseInput(refusalText(error), run);
  }
}

/** Reports input that cannot be used. */
export async function refuseInput(reason: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(`${reason}. Nothing was changed`);
  return WRONG_USAGE;
}
