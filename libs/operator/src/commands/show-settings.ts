import {
  GetSettingsHandler,
  GetSettingsQuery,
  ListSettingsHandler,
  ListSettingsQuery,
  operator,
} from '@keyfold/application';
import type { ListedSetting } from '@keyfold/application';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { quoted } from '../output/printable.js';
import { tableOf } from '../output/table.js';
import type { CommandRun } from './operator-ports.js';
import { HIDDEN, isSecret, kindOf, listWithoutSecrets, openSettings } from './settings-access.js';

type Wanted = Readonly<{ keys: readonly string[]; reveal: boolean; json: boolean }>;

/** Shows some settings, or all of them. Secrets are hidden unless `reveal` is true. Shows a single setting as its bare value. */
export async function showSettings({ keys, reveal, json }: Wanted, { ports, output }: CommandRun): Promise<ExitCode> {
  const all = await new ListSettingsHandler(ports.loader, listWithoutSecrets).execute(
    new ListSettingsQuery(operator, undefined),
  );
  const known = new Map(all.map((setting) => [setting.key, setting]));
  const missing = keys.find((key) => !known.has(key));
  if (missing !== undefined) {
    await output.err(`no setting ${quoted(missing)}. "keyfold settings get" lists all of them`);
    return FAILED;
  }
  const chosen = keys.length === 0 ? [...known.keys()] : keys;
  const settings = reveal ? await revealed(chosen, ports) : chosen.map((key) => known.get(key)!);
  const valueOf = ({ key, value }: ListedSetting) => (reveal || !isSecret(key) ? value : null);
  if (json) for (const each of settings) await output.out(asJson(each, valueOf(each)));
  else if (keys.length === 1) await output.out(valueOf(settings[0]!) ?? HIDDEN);
  else {
    const rows = settings.map((each) => [each.key, kindOf(each), valueOf(each) ?? HIDDEN]);
    for (const line of tableOf(['setting', 'kind', 'value'], rows)) await output.out(line);
  }
  return DONE;
}

async function revealed(keys: readonly string[], ports: CommandRun['ports']): Promise<readonly ListedSetting[]> {
  const { list } = await openSettings(ports);
  return new GetSettingsHandler(ports.loader, list).execute(new GetSettingsQuery(operator, keys));
}

const asJson = (setting: ListedSetting, value: string | null) => {
  const { key, type, options, help } = setting;
  return JSON.stringify({ key, value, kind: kindOf(setting), secret: isSecret(key), type, options, help });
};
