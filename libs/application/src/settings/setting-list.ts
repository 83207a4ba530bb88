import { Inject, Injectable } from '@nestjs/common';
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
import { SettingSecrets, STATIC_TOKEN_KEY } from './setting-secrets.js';

/** A setting as administrators see it. `index` is its place in the list of the original. */
export type ListedSetting = Readonly<Omit<FactorySetting, 'secret'> & { index: number }>;

/** The metadata of a setting. */
type Metadata = Omit<FactorySetting, 'value' | 'secret'>;

/** The secrets that a list shows. A list for other eyes can leave them out. */
export type ReadableSecrets = Pick<SettingSecrets, 'shownValueOf' | 'newStaticToken'>;

/** The injection token of the value of the read-only setting `version`. */
export const SERVICE_VERSION = Symbol('the version of the service');

/** Lists settings with their values. Only administrators may see it. */
@Injectable()
export class SettingList {
  constructor(
    @Inject(SettingSecrets) private readonly secrets: ReadableSecrets,
    @Inject(SERVICE_VERSION) private readonly version: string,
  ) {}

  /**
   * Returns the chosen settings with their current values: those of the factory in its order, then the deprecated ones by key. Opens no
   * other secrets, and shows `UNREADABLE_SECRET` for one that no key opens. Without `withSecrets`, the value of every setting that is or may be
   * secret is empty.
   */
  current(settings: SiteSettings, isChosen: (setting: Metadata) => boolean, withSecrets: boolean): ListedSetting[] {
    const deprecated = deprecatedKeys(settings).map((key) => ({ ...deprecatedSetting, key }));
    return [...factorySettings, ...deprecated]
      .map((setting: Metadata, index) => ({ setting, index }))
      .filter(({ setting }) => isChosen(setting))
      .map(({ setting, index }) => {
        const isShown = withSecrets || !isSealedSetting(setting.key);
        return listed(setting, index, isShown ? this.#valueOf(settings, setting.key) : '');
      });
  }

  /** Returns the factory settings with their default values. The static token is a new one, never the one in force. */
  factory(): ListedSetting[] {
    const values: Readonly<Record<string, string>> = {
      version: this.version,
      [STATIC_TOKEN_KEY]: this.secrets.newStaticToken(),
    };
    return factorySettings.map((setting, index) => listed(setting, index, values[setting.key] ?? setting.value));
  }

  #valueOf(settings: SiteSettings, key: string): string {
    if (key === 'version') return this.version;
    const secret = isSealedSetting(key) ? this.secrets.shownValueOf(settings, key) : undefined;
    return secret ?? settingValue(settings, key);
  }
}

/** The metadata shown for an unknown setting. */
const deprecatedSetting = {
  type: 'text',
  group: settingGroup.single,
  flag: settingFlag.deprecated,
  options: '',
  help: '',
} as const;

const listed = (setting: Metadata, index: number, value: string): ListedSetting => {
  const { key, type, group, flag, options, help } = setting;
  return { key, value, help, type, options, group, flag, index };
};
