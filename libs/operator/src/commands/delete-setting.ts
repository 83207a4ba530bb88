import { DeleteSettingCommand, DeleteSettingHandler, operator } from '@keyfold/application';
import { DONE, type ExitCode } from '@keyfold/process';
import { quoted } from '../output/printable.js';
import { newOrigin } from './new-origin.js';
import type { CommandRun } from './operator-ports.js';

/** Deletes a setting that Keyfold does not know. */
export async function deleteSetting({ key }: { key: string }, { ports, output }: CommandRun): Promise<ExitCode> {
  await new DeleteSettingHandler(ports.runner).execute(new DeleteSettingCommand(operator, key, newOrigin()));
  await output.out(`deleted the setting ${quoted(key)}`);
  return DONE;
}
