import { SettingList, SettingSecrets } from '@keyfold/application';
import { isSealedSetting, settingFlag } from '@keyfold/domain';
import { serviceVersion } from '@keyfold/process';
import type { OperatorPorts } from './operator-ports.js';

/** The text that replaces a secret. JSON has null. */
export const HIDDEN = '(secret)';

/** Returns whether a setting is never shown without `--reveal`: the static token, secrets, and settings that Keyfold does not know. */
export const isSecret = isSealedSetting;

/** A list without the values of secrets. It needs no sealing key. */
export const listWithoutSecrets = new SettingList(
  { valueOf: () => '', apiTokenOf: () => '', newApiToken: () => '' },
  serviceVersion,
);

/** Opens the secrets among the settings. Throws like `OperatorPorts.sealer`. */
export async function openSettings(ports: OperatorPorts) {
  const secrets = new SettingSecrets(await ports.sealer());
  return { secrets, list: new SettingList(secrets, serviceVersion) };
}

/** Returns the kind of a setting in words. */
export function kindOf({ flag }: Readonly<{ flag: number }>): string {
  if (flag === settingFlag.public) return 'public';
  if (flag === settingFlag.readOnly) return 'read-only';
  return flag === settingFlag.deprecated ? 'unknown' : 'private';
}
