import {
  deprecatedKeys,
  factorySettings,
  isSealedSetting,
  settingFlag,
  settingGroup,
  settingValue,
  type FactorySetting,
  type SiteSettings,
} from '@keyfold/domain';
import { SettingSecrets } from './setting-secrets.js';

/** A setting as administrators see it. `index` is its place in the list of the original. */
export type ListedSetting = Readonly<Omit<FactorySetting, 'secret'> & { index: number }>;

/** The key of the static token among the settings. */
export const API_TOKEN_KEY = 'token';

/** Lists settings with their values, secrets included. Only administrators may see it. */
export class SettingList {
  /** `version`: the value of the read-only setting. */
  constructor(
    private readonly secrets: SettingSecrets,
    private readonly version: string,
  ) {}

  /** Returns all settings with their current values: those of the factory in its order, then the deprecated ones by key. */
  current(settings: SiteSettings): ListedSetting[] {
    const known = factorySettings.map((setting, index) => listed(setting, index, this.#valueOf(settings, setting.key)));
    const deprecated = deprecatedKeys(settings).map((key, index) =>
      listed({ ...deprecatedSetting, key }, known.length + index, this.secrets.valueOf(settings, key) ?? ''),
    );
    return [...known, ...deprecated];
  }

  /** Returns the factory settings with their default values. The static token is a new one, never the one in force. */
  factory(): ListedSetting[] {
    const values: Readonly<Record<string, string>> = {
      version: this.version,
      [API_TOKEN_KEY]: this.secrets.newApiToken(),
    };
    return factorySettings.map((setting, index) => listed(setting, index, values[setting.key] ?? setting.value));
  }

  #valueOf(settings: SiteSettings, key: string): string {
    if (key === 'version') return this.version;
    if (key === API_TOKEN_KEY) return this.secrets.apiTokenOf(settings);
    return isSealedSetting(key) ? (this.secrets.valueOf(settings, key) ?? '') : settingValue(settings, key);
  }
}

/** How a setting is shown that Keyfold does not know. */
const deprecatedSetting = {
  type: 'text',
  group: settingGroup.single,
  flag: settingFlag.deprecated,
  options: '',
  help: '',
} as const;

const listed = (setting: Omit<FactorySetting, 'value' | 'secret'>, index: number, value: string): ListedSetting => {
  const { key, type, group, flag, options, help } = setting;
  return { key, value, help, type, options, group, flag, index };
};
