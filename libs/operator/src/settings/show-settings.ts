import {
  STATIC_TOKEN_KEY,
  GetSettingsQuery,
  ListFactorySettingsQuery,
  ListSettingsQuery,
  operator,
  SettingList,
  UNREADABLE_SECRET,
  type ListedSetting,
} from '@keyfold/application';
import { isSealedSetting, settingFlag } from '@keyfold/domain';
import { DONE, FAILED, serviceVersion, type ExitCode } from '@keyfold/process';
import { siteSettingsStream } from '@keyfold/projections';
import type { CommandRun, OperatorPorts } from '../command-run.js';
import { fieldsOf, tableOf } from '../output/table.js';
import { quoted } from '../output/printable.js';

/** The text that replaces a secret. JSON has null. */
export const HIDDEN = '(secret)';

/** Returns whether a setting is never shown without `--reveal`: the static token, secrets, and settings that Keyfold does not know. */
export const isSecret = isSealedSetting;

/** A list without the values of secrets, which the query cannot give without a sealing key. */
const listWithoutSecrets = new SettingList({ shownValueOf: () => '', newStaticToken: () => '' }, serviceVersion);

async function withoutSecrets({ loader }: OperatorPorts): Promise<readonly ListedSetting[]> {
  const [{ state }] = await loader.load(siteSettingsStream);
  return listWithoutSecrets.current(state, () => true, true);
}

const withSecrets = ({ queries }: OperatorPorts) => queries.execute(new ListSettingsQuery(operator, undefined));

/** Returns the kind of a setting in words. */
function kindOf({ flag }: Readonly<{ flag: number }>): string {
  if (flag === settingFlag.public) return 'public';
  if (flag === settingFlag.readOnly) return 'read-only';
  return flag === settingFlag.deprecated ? 'unknown' : 'private';
}

type Wanted = Readonly<{ keys: readonly string[]; reveal: boolean; json: boolean }>;

/**
 * Shows some settings, or all of them. Secrets are hidden unless `reveal` is true. Shows a single setting as its bare value. Fails if a
 * shown secret is unreadable.
 */
export async function showSettings({ keys, reveal, json }: Wanted, { ports, output }: CommandRun): Promise<ExitCode> {
  const known = new Map((await withoutSecrets(ports)).map((setting) => [setting.key, setting]));
  const missing = keys.find((key) => !known.has(key));
  if (missing !== undefined) {
    await output.err(`no setting ${quoted(missing)}. "keyfold settings get" lists all of them`);
    return FAILED;
  }
  const chosen = keys.length === 0 ? [...known.keys()] : keys;
  const settings = reveal
    ? await ports.queries.execute(new GetSettingsQuery(operator, chosen))
    : chosen.map((key) => known.get(key)!);
  const valueOf = ({ key, value }: ListedSetting) => (reveal || !isSecret(key) ? value : null);
  if (json) for (const each of settings) await output.out(settingJson(each, valueOf(each)));
  else if (keys.length === 1) {
    const value = valueOf(settings[0]!) ?? HIDDEN;
    if (value !== UNREADABLE_SECRET) await output.out(value);
  } else {
    const rows = settings.map((each) => [each.key, kindOf(each), valueOf(each) ?? HIDDEN]);
    for (const line of tableOf(['setting', 'kind', 'value'], rows)) await output.out(line);
  }
  return reportUnreadable(settings, output);
}

/** Reports the settings that no sealing key opens. Returns `DONE` if there are none. */
async function reportUnreadable(settings: readonly ListedSetting[], output: CommandRun['output']): Promise<ExitCode> {
  const keys = settings.filter(({ value }) => value === UNREADABLE_SECRET).map(({ key }) => quoted(key));
  if (keys.length === 0) return DONE;
  await output.err(
    `no sealing key opens the value of ${keys.join(', ')}. Add the key that sealed it: "keyfold secrets status" lists the keys in use. ` +
      'Or save a new value',
  );
  return FAILED;
}

const settingJson = (setting: ListedSetting, value: string | null) => {
  const { key, type, options, help } = setting;
  return JSON.stringify({ key, value, kind: kindOf(setting), secret: isSecret(key), type, options, help });
};

/** A setting that differs. `factory` is null for a setting that Keyfold does not know. */
type Difference = Readonly<{ key: string; factory: string | null; value: string }>;

/** Shows the settings that differ from the factory's, without the version and the static token, which have no factory value. */
export async function compareSettings(
  { reveal, json }: { reveal: boolean; json: boolean },
  { ports, output }: CommandRun,
): Promise<ExitCode> {
  const listed = await ports.queries.execute(new ListFactorySettingsQuery());
  const factory = new Map(listed.map(({ key, value }) => [key, value]));
  const differences = (await withSecrets(ports))
    .filter(({ key, flag }) => key !== STATIC_TOKEN_KEY && flag !== settingFlag.readOnly)
    .map(({ key, value }) => ({ key, factory: factory.get(key) ?? null, value }))
    .filter((each) => each.value !== each.factory);
  for (const each of differences) {
    const hide = !reveal && isSecret(each.key);
    if (json) await output.out(differenceJson(each, hide));
    else for (const line of linesOf(each, hide)) await output.out(line);
  }
  if (differences.length === 0 && !json) await output.out('Every setting has its factory value.');
  return DONE;
}

function differenceJson({ key, factory, value }: Difference, hide: boolean): string {
  return JSON.stringify({ key, factory: hide ? null : factory, value: hide ? null : value, secret: isSecret(key) });
}

const linesOf = ({ key, factory, value }: Difference, hide: boolean) =>
  fieldsOf(key, { factory: factory === null ? '(none)' : hide ? HIDDEN : factory, value: hide ? HIDDEN : value });

/**
 * Writes the settings as the body of a save: a JSON array with a line for each setting. Leaves secrets out unless `secrets` is true. Writes
 * nothing if one of them is unreadable, because its value would be missing.
 */
export async function exportSettings(
  { secrets }: { secrets: boolean },
  { ports, output }: CommandRun,
): Promise<ExitCode> {
  const settings = await (secrets ? withSecrets(ports) : withoutSecrets(ports));
  const exported = settings.filter((each) => isSaveable(each) && (secrets || !isSecret(each.key)));
  const exitCode = await reportUnreadable(exported, output);
  if (exitCode !== DONE) return exitCode;
  await output.out('[');
  for (const [index, { key, value }] of exported.entries())
    await output.out(`  ${JSON.stringify({ key, value })}${index === exported.length - 1 ? '' : ','}`);
  await output.out(']');
  return DONE;
}

/** A save refuses an empty static token, which a service has before its first start. */
const isSaveable = ({ key, flag, value }: ListedSetting) =>
  flag !== settingFlag.readOnly && (key !== STATIC_TOKEN_KEY || value !== '');
