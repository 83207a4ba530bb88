import type { AppPassword } from '@keyfold/domain';
import type { TokenActivity } from '../caller/token-activity.js';
import { listedSecret, type ListedSecret } from '../named-secrets/listed-secret.js';

/** An app password as lists show it. */
export type ListedAppPassword = ListedSecret<AppPassword>;

/** Returns the list entries of app passwords. `now` is in unix milliseconds. */
export async function listAppPasswords(
  passwords: readonly AppPassword[],
  activity: TokenActivity,
  now: number,
): Promise<ListedAppPassword[]> {
  const lastUses = await activity.lastUsesOfAppPasswords(passwords);
  return passwords.map((password, index) => listedSecret(password, lastUses[index], now));
}
