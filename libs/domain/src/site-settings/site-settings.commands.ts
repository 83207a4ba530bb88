import type { ResealSecrets } from '../kernel/reseal-secrets.js';

/**
 * A secret to save. A sealed text never equals another one, so `sameAs` names the stored text that was found to have the same value,
 * or is empty if the factory value is the same. While that text is stored, there is nothing to save.
 */
export type NewSecret = Readonly<{ sealed: string; sameAs?: string }>;

/**
 * Changes the values of some settings; the others keep theirs. `values` contains the plain ones in the order in which they were sent, of
 * which the last for a key wins. `sealedValues` contains the secret or unknown ones by key (see `isSealedSetting`), and `sealedStaticToken`
 * the static token. The caller has checked all keys and secrets.
 */
export type ChangeSettings = Readonly<{
  type: 'ChangeSettings';
  values: readonly (readonly [key: string, value: string])[];
  sealedValues: Readonly<Record<string, NewSecret>>;
  sealedStaticToken?: NewSecret;
}>;

/** Deletes a setting that Keyfold does not know. */
export type DeleteSetting = Readonly<{ type: 'DeleteSetting'; key: string }>;

/** Replaces the static token by a new sealed one, with immediate effect. */
export type ResetStaticToken = Readonly<{ type: 'ResetStaticToken'; sealedToken: string }>;

export type SiteSettingsCommand = ChangeSettings | DeleteSetting | ResetStaticToken | ResealSecrets;
