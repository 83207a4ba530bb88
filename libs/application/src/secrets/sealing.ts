import type { SiteSettings } from '@keyfold/domain';
import { siteSettingsStream, type StreamLoader } from '@keyfold/projections';
import type { Sealer } from '@keyfold/security';

/** The contexts in which secrets are sealed. A sealed value opens only in the context in which it was sealed. */
export const sealingContext = {
  password: (accountId: number) => `account-${accountId}/password`,
  twoFactor: (accountId: number) => `account-${accountId}/two-factor`,
  recoveryCodes: (accountId: number) => `account-${accountId}/recovery-codes`,
  openlistUser: (accountId: number) => `openlist-user-${accountId}/password`,
  staticToken: 'site-settings/static-token',
  setting: (key: string) => `site-settings/setting/${key}`,
} as const;

/**
 * Checks that the sealing keys open the stored static token, as a sample of all stored secrets.
 *
 * @throws `UnknownSealingKey` or `SealBroken`.
 */
export async function requireSealingKey(loader: StreamLoader, sealer: Sealer): Promise<void> {
  const [{ state }] = await loader.load(siteSettingsStream);
  requireSealingKeyOf(state, sealer);
}

/** Checks the same of settings that are loaded already. */
export function requireSealingKeyOf({ sealedStaticToken }: SiteSettings, sealer: Sealer): void {
  if (sealedStaticToken !== '') sealer.open(sealedStaticToken, sealingContext.staticToken);
}
