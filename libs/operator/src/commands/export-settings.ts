import {
  API_TOKEN_KEY,
  ListSettingsHandler,
  ListSettingsQuery,
  operator,
  type ListedSetting,
} from '@keyfold/application';
import { settingFlag } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import type { CommandRun } from './operator-ports.js';
import { isSecret, listWithoutSecrets, openSettings } from './settings-access.js';

/** Writes the settings as the body of a save: a JSON array with a line for each setting. Leaves secrets out unless `secrets` is true. */
export async function exportSettings(
  { secrets }: { secrets: boolean },
  { ports, output }: CommandRun,
): Promise<ExitCode> {
  const list = secrets ? (await openSettings(ports)).list : listWithoutSecrets;
  const settings = await new ListSettingsHandler(ports.loader, list).execute(
    new ListSettingsQuery(operator, undefined),
  );
  const exported = settings.filter((each) => isSaveable(each) && (secrets || !isSecret(each.key)));
  await output.out('[');
  for (const [index, { key, value }] of exported.entries())
    await output.out(`  ${JSON.stringify({ key, value })}${index === exported.length - 1 ? '' : ','}`);
  await output.out(']');
  return DONE;
}

/** A save refuses an empty static token, which a service has before its first start. */
const isSaveable = ({ key, flag, value }: ListedSetting) =>
  flag !== settingFlag.readOnly && (key !== API_TOKEN_KEY || value !== '');
