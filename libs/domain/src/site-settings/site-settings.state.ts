import { bytesOf } from '../kernel/bounded-text.js';
import { factorySetting, factorySettings, isSealedSetting, settingFlag } from './factory-settings.js';

/**
 * The values that were saved: plain ones, sealed ones (see `isSealedSetting`), and the sealed static token, which is empty before the first
 * start. Every other setting has its factory value.
 */
export type SiteSettings = Readonly<{
  values: Readonly<Record<string, string>>;
  sealedValues: Readonly<Record<string, string>>;
  sealedStaticToken: string;
}>;

/**
 * Maximum size of all saved settings together, in bytes as `bytesOf` counts them. Of a sealed value, the sealed text counts: a third more
 * than its UTF-8, without escapes. A body with the whole list fits its limit unless secrets need many escapes.
 */
export const SETTINGS_BYTES = 98_304;
/** Bytes that each saved setting counts in addition to its key and value, for the other fields of its answer. */
export const BYTES_PER_SETTING = 128;

/** Returns the current value of a setting that is not sealed: the saved one, else the factory's, else an empty text. */
export function settingValue(settings: SiteSettings, key: string): string {
  if (Object.hasOwn(settings.values, key)) return settings.values[key]!;
  return factorySetting(key)?.value ?? '';
}

/** Returns the sealed value of a secret or unknown setting, or undefined if none was saved. */
export function sealedSettingValue({ sealedValues }: SiteSettings, key: string): string | undefined {
  return Object.hasOwn(sealedValues, key) ? sealedValues[key] : undefined;
}

/** Returns the keys of the saved settings that Keyfold does not know, in byte order. */
export function deprecatedKeys({ values, sealedValues }: SiteSettings): string[] {
  return Object.keys({ ...values, ...sealedValues })
    .filter((key) => factorySetting(key) === undefined)
    .toSorted();
}

/** Returns the settings that everyone may read, by key in byte order (wire contract 4). */
export function publicSettings(settings: SiteSettings, version: string): Record<string, string> {
  const shown = factorySettings
    .filter(({ key, flag }) => flag === settingFlag.public && !isSealedSetting(key))
    .map(({ key }) => [key, settingValue(settings, key)]);
  shown.push(['version', version]);
  return Object.fromEntries(shown.toSorted(([a], [b]) => (a! < b! ? -1 : 1))) as Record<string, string>;
}

/** Returns the size of the saved settings, as `SETTINGS_BYTES` limits it. Of a sealed value, the sealed text counts. */
export function bytesOfSettings({ values, sealedValues }: SiteSettings): number {
  const texts = [...Object.entries(values), ...Object.entries(sealedValues)];
  return texts.reduce((sum, [key, value]) => sum + BYTES_PER_SETTING + bytesOf(key, value), 0);
}
