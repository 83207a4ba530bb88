import type { ResealSecrets } from '../kernel/reseal-secrets.js';

/**
 * Changes the values of some settings; the others keep theirs. `values` contains the plain ones in the order in which they were sent, of
 * which the last for a key wins. `sealedValues` contains the changed secret or unknown ones by key (see `isSealedSetting`), and
 * `sealedApiToken` the new static token, if it changes.
 */
export type ChangeSettings = Readonly<{
  type: 'ChangeSettings';
  values: readonly (readonly [key: string, value: string])[];
  sealedValues: Readonly<Record<string, string>>;
  sealedApiToken?: string;
}>;

/** Deletes a setting that Keyfold does not know. */
export type DeleteSetting = Readonly<{ type: 'DeleteSetting'; key: string }>;

/** Replaces the static token by a new sealed one, with immediate effect. */
export type ResetApiToken = Readonly<{ type: 'ResetApiToken'; sealedToken: string }>;

export type SiteSettingsCommand = ChangeSettings | DeleteSetting | ResetApiToken | ResealSecrets;
