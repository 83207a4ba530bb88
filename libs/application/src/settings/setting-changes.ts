import {
  DomainError,
  isSealedSetting,
  requireSettingKey,
  requireSuitableApiToken,
  type ChangeSettings,
  type NewSecret,
  type SiteSettings,
} from '@keyfold/domain';
import { InvalidPatterns, PrivacyMask } from '@keyfold/security';
import { API_TOKEN_KEY } from './setting-list.js';
import type { SettingSecrets } from './setting-secrets.js';

/** A setting and its new value. */
export type SettingInput = Readonly<{ key: string; value: string }>;

/**
 * Returns the command that saves the values. It seals secrets, and compares them with the stored ones, because the decider cannot open
 * them.
 *
 * @throws the refusal of a value that the decider cannot check.
 */
export function changeOf(
  inputs: readonly SettingInput[],
  settings: SiteSettings,
  secrets: SettingSecrets,
): ChangeSettings {
  if (inputs.length === 0) throw new DomainError('no-settings-to-save');
  for (const { key } of inputs) requireSettingKey(key);
  inputs.forEach(requireAcceptable);
  const values = inputs.filter(({ key }) => !isSealedSetting(key)).map(({ key, value }) => [key, value] as const);
  const wanted = new Map(inputs.filter(({ key }) => isSealedSetting(key)).map(({ key, value }) => [key, value]));
  const token = wanted.get(API_TOKEN_KEY);
  wanted.delete(API_TOKEN_KEY);
  const sealed = [...wanted].map(([key, value]): [string, NewSecret] => [
    key,
    secrets.valueToSave(settings, key, value),
  ]);
  return {
    type: 'ChangeSettings',
    values,
    sealedValues: Object.fromEntries(sealed),
    ...(token !== undefined && { sealedApiToken: secrets.apiTokenToSave(settings, token) }),
  };
}

/** Checks the values that the decider cannot check, because they are sealed or need a compiler. */
function requireAcceptable({ key, value }: SettingInput): void {
  if (key === API_TOKEN_KEY) requireSuitableApiToken(value);
  if (key === 'privacy_regs') requirePatterns(value);
}

function requirePatterns(patterns: string): void {
  try {
    new PrivacyMask(patterns);
  } catch (error) {
    if (!(error instanceof InvalidPatterns)) throw error;
    throw new DomainError('privacy-patterns-invalid', { quoted: error.message });
  }
}
