import { API_TOKEN_KEY, ListSettingsHandler, ListSettingsQuery, operator } from '@keyfold/application';
import { settingFlag } from '@keyfold/domain';
import { DONE, type ExitCode } from '@keyfold/process';
import { fieldsOf } from '../output/fields.js';
import type { CommandRun } from './operator-ports.js';
import { HIDDEN, isSecret, openSettings } from './settings-access.js';

/** A setting that differs. `factory` is null for a setting that Keyfold does not know. */
type Difference = Readonly<{ key: string; factory: string | null; value: string }>;

/** Shows the settings that differ from the factory's, without the version and the static token, which have no factory value. */
export async function compareSettings(
  { reveal, json }: { reveal: boolean; json: boolean },
  { ports, output }: CommandRun,
): Promise<ExitCode> {
  const { list } = await openSettings(ports);
  const factory = new Map(list.factory().map(({ key, value }) => [key, value]));
  const current = await new ListSettingsHandler(ports.loader, list).execute(new ListSettingsQuery(operator, undefined));
  const differences = current
    .filter(({ key, flag }) => key !== API_TOKEN_KEY && flag !== settingFlag.readOnly)
    .map(({ key, value }) => ({ key, factory: factory.get(key) ?? null, value }))
    .filter((each) => each.value !== each.factory);
  for (const each of differences) {
    const hide = !reveal && isSecret(each.key);
    if (json) await output.out(asJson(each, hide));
    else for (const line of linesOf(each, hide)) await output.out(line);
  }
  if (differences.length === 0 && !json) await output.out('Every setting has its factory value.');
  return DONE;
}

function asJson({ key, factory, value }: Difference, hide: boolean): string {
  return JSON.stringify({ key, factory: hide ? null : factory, value: hide ? null : value, secret: isSecret(key) });
}

const linesOf = ({ key, factory, value }: Difference, hide: boolean) =>
  fieldsOf(key, { factory: factory === null ? '(none)' : hide ? HIDDEN : factory, value: hide ? HIDDEN : value });
