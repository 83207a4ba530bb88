import { operator, ResetApiTokenCommand, ResetApiTokenHandler } from '@keyfold/application';
import { DONE, type ExitCode } from '@keyfold/process';
import { newOrigin } from './new-origin.js';
import type { CommandRun } from './operator-ports.js';
import { openSettings } from './settings-access.js';

/** Replaces the static token and shows the new one. */
export async function resetStaticToken({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const { secrets } = await openSettings(ports);
  const command = new ResetApiTokenCommand(operator, newOrigin());
  const token = await new ResetApiTokenHandler(ports.runner, secrets).execute(command);
  await output.out(json ? JSON.stringify({ token }) : token);
  return DONE;
}
