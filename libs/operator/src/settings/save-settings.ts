import {
  STATIC_TOKEN_KEY,
  ChangeSettingsCommand,
  DeleteSettingCommand,
  operator,
  PreviewSettingsQuery,
  ResetStaticTokenCommand,
  type SettingChange,
  type SettingInput,
} from '@keyfold/application';
import { factorySetting, factorySettings, settingFlag } from '@keyfold/domain';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { z } from 'zod';
import { newOrigin, type CommandRun } from '../command-run.js';
import { counted, quoted } from '../output/printable.js';
import { fieldsOf } from '../output/table.js';
import { HIDDEN, isSecret } from './show-settings.js';

/** `dryRun`: show the changes without making them. */
type Mode = Readonly<{ dryRun: boolean; json: boolean }>;

/** Saves the value of a setting. */
export async function setSetting({ key, value, ...mode }: SettingInput & Mode, run: CommandRun): Promise<ExitCode> {
  if (isReadOnly(key)) return refuse(`the setting ${quoted(key)} is read-only`, run);
  return save([{ key, value }], mode, run);
}

/** Saves values of settings in one commit, or none of them. */
export const importSettings = (
  { settings, ...mode }: Readonly<{ settings: readonly SettingInput[] }> & Mode,
  run: CommandRun,
): Promise<ExitCode> => save(settings, mode, run);

/** Saves the factory values of some settings, or without keys of all that have one. Unknown settings have none and stay. */
export async function resetSettings(
  { keys, ...mode }: Readonly<{ keys: readonly string[] }> & Mode,
  run: CommandRun,
): Promise<ExitCode> {
  for (const key of keys) {
    const problem = resetProblem(key);
    if (problem) return refuse(problem, run);
  }
  const wanted = new Set(keys.length > 0 ? keys : factorySettings.map(({ key }) => key));
  const values = factorySettings
    .filter(({ key }) => wanted.has(key) && resetProblem(key) === undefined)
    .map(({ key, value }) => ({ key, value }));
  return save(values, mode, run);
}

function resetProblem(key: string): string | undefined {
  if (key === STATIC_TOKEN_KEY) return 'the static token has no factory value. Use "keyfold settings reset-token"';
  if (isReadOnly(key)) return `the setting ${quoted(key)} is read-only`;
  if (factorySetting(key)) return undefined;
  return `${quoted(key)} is no setting of Keyfold and has no factory value. Use "keyfold settings delete"`;
}

const isReadOnly = (key: string) => factorySetting(key)?.flag === settingFlag.readOnly;

async function refuse(reason: string, { output }: CommandRun): Promise<ExitCode> {
  await output.err(`${reason}. Nothing was changed`);
  return FAILED;
}

async function save(settings: readonly SettingInput[], { dryRun, json }: Mode, run: CommandRun): Promise<ExitCode> {
  const { ports, output } = run;
  const changes = await ports.queries.execute(new PreviewSettingsQuery(settings));
  if (!dryRun) await ports.commands.execute(new ChangeSettingsCommand(operator, settings, newOrigin()));
  for (const change of changes) for (const line of json ? [asJson(change)] : linesOf(change)) await output.out(line);
  if (!json) await output.out(summaryOf(changes.length, dryRun));
  return DONE;
}

function summaryOf(changes: number, dryRun: boolean): string {
  if (changes === 0) return 'No value differs. Nothing was changed';
  return dryRun ? `Would change ${counted(changes, 'setting')}` : `Changed ${counted(changes, 'setting')}`;
}

function asJson({ key, from, to }: SettingChange): string {
  const secret = isSecret(key);
  return JSON.stringify({ key, from: secret ? null : (from ?? null), to: secret ? null : to, secret });
}

const linesOf = ({ key, from, to }: SettingChange) =>
  fieldsOf(key, isSecret(key) ? { from: HIDDEN, to: HIDDEN } : { from: from ?? '(none)', to });

/** Deletes a setting that Keyfold does not know. */
export async function deleteSetting({ key }: { key: string }, { ports, output }: CommandRun): Promise<ExitCode> {
  await ports.commands.execute(new DeleteSettingCommand(operator, key, newOrigin()));
  await output.out(`deleted the setting ${quoted(key)}`);
  return DONE;
}

/** Replaces the static token and shows the new one. */
export async function resetStaticToken({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const token = await ports.commands.execute(new ResetStaticTokenCommand(operator, newOrigin()));
  await output.out(json ? JSON.stringify({ token }) : token);
  return DONE;
}

const items = z.array(z.object({ key: z.string().min(1), value: z.string() }), 'expected a JSON array');

/** Reads the settings of a file: a JSON array of objects with key and value, which may have other fields. */
export function parseSettings(text: string): { settings: readonly SettingInput[] } | { problem: string } {
  const parsed = items.safeParse(jsonOf(text));
  if (parsed.success) return { settings: parsed.data };
  const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
  const place = path.length === 0 ? '' : `in entry ${Number(path[0]) + 1}, ${path.slice(1).join('.')}: `;
  return { problem: `the file contains no list of settings: ${place}${message}` };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
