import { siteSettingsStream, type StreamLoader } from '@keyfold/projections';
import type { Sealer } from '@keyfold/security';
import { sealingContext } from './sealing-context.js';

/**
 * Checks that the sealing keys open the stored static token, as a sample of all stored secrets.
 *
 * @throws `UnknownSealingKey` or `SealBroken`.
 */
export async function requireSealingKey(loader: StreamLoader, sealer: Sealer): Promise<void> {
  const [{ state: settings }] = await loader.load(siteSettingsStream);
  if (settings.sealedApiToken !== '') sealer.open(settings.sealedApiToken, sealingContext.apiToken);
}
