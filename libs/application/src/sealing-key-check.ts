import { siteSettingsStream, type StreamLoader } from '@keyfold/projections';
import type { Sealer } from '@keyfold/security';
import { sealedFor } from './sealed-for.js';

/**
 * Looks whether the sealing keys open what is stored: what is sealed with others, no gateway can open. Throws `UnknownSealingKey` or
 * `SealBroken`.
 */
export async function requireSealingKey(loader: StreamLoader, sealer: Sealer): Promise<void> {
  const [{ state: settings }] = await loader.load(siteSettingsStream);
  if (settings.sealedApiToken !== '') sealer.open(settings.sealedApiToken, sealedFor.apiToken);
}
