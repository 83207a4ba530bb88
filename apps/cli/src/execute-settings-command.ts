import { parseSettings, type OperatorArgs } from '@keyfold/operator';
import { isSealedSetting } from '@keyfold/domain';
import { reasonOf } from '@keyfold/event-store';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { open, unlink } from 'node:fs/promises';
import { runInterruptibly, runOnConfiguredStore } from './run-on-configured-store.js';
import { terminal } from './terminal.js';
import { readText, readValue, refuseInput } from './text-input.js';

/** `value` is undefined if it comes from the file, the terminal or standard input. */
export type SetSetting = Omit<OperatorArgs<'settings set'>, 'value'> & Readonly<{ value?: string | undefined }>;
/** Without a file, the settings come from standard input. */
export type ImportSettings = Omit<OperatorArgs<'settings import'>, 'settings'>;

const SECRET_ARGUMENT =
  'the value of this setting is secret or Keyfold does not know the setting, and a secret cannot be an argument. ' +
  'Type it at the prompt, pipe it in or use --value-file';

/** Sets a setting. Reports failures and returns the exit status. */
export const executeSetSetting = ({ value, ...args }: SetSetting, file: string | undefined) =>
  runInterruptibly(async (signal) => {
    if (value !== undefined && isSealedSetting(args.key)) return refuseInput(SECRET_ARGUMENT);
    const input = value === undefined ? await readValue(args.key, file, signal) : { text: value };
    if ('problem' in input) return refuseInput(input.problem);
    return runOnConfiguredStore({ command: 'settings set', args: { ...args, value: input.text } }, signal);
  });

/** Imports settings from a file or standard input. Reports failures and returns the exit status. */
export const executeImport = (args: ImportSettings, file: string | undefined) =>
  runInterruptibly(async (signal) => {
    const input = await readText(file, signal);
    if ('problem' in input) return refuseInput(input.problem);
    const parsed = parseSettings(input.text);
    if ('problem' in parsed) return refuseInput(parsed.problem);
    return runOnConfiguredStore({ command: 'settings import', args: { ...args, settings: parsed.settings } }, signal);
  });

/** Exports settings to a new file that only its owner can read, or to standard output. Reports failures and returns the exit status. */
export const executeExport = (args: OperatorArgs<'settings export'>, file: string | undefined) =>
  runInterruptibly(async (signal) => {
    const request = { command: 'settings export', args } as const;
    if (file === undefined) return runOnConfiguredStore(request, signal);
    const lines: string[] = [];
    const output = { ...terminal, out: async (line: string) => void lines.push(line) };
    const exitCode = await runOnConfiguredStore(request, signal, output);
    return exitCode === DONE ? writeNew(file, `${lines.join('\n')}\n`) : exitCode;
  });

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
