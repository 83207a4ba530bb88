import { sealingContext } from '@keyfold/application';
import { linkedUser, type FoundUser, type OpenListApi } from '@keyfold/openlist';
import type { Sealer } from '@keyfold/security';
import type { OperatorPorts } from '../../command-run.js';
import { mirrorDifferences } from './mirror-differences.js';
import { loadMirrored, needsMirror, type Mirrored } from './mirrored-users.js';

type Parts = Readonly<{ api: OpenListApi; sealer: Sealer; ports: Pick<OperatorPorts, 'clock' | 'loader'> }>;

/** Reads the keys of a mirror, and compares it with its account. */
export async function compareMirror(
  { account, link, ring }: Mirrored,
  user: FoundUser,
  { api, sealer, ports }: Parts,
): Promise<Readonly<{ keys: number; differences: readonly string[] }>> {
  const password = sealer.open(link.sealedPassword, sealingContext.openlistUser(link.accountId));
  const keys = account.disabled ? [] : await api.keys(user.id);
  const differences = mirrorDifferences({ user, keys }, { account, password, ring }, ports.clock.now());
  return { keys: keys.length, differences };
}

/** Whether an account has a mirror that does not differ from it. */
export async function hasCurrentMirror(accountId: number, parts: Parts): Promise<boolean> {
  const mirrored = await loadMirrored(accountId, parts.ports.loader);
  const user = needsMirror(mirrored.account) ? await linkedUser(parts.api, mirrored.link) : undefined;
  return user !== undefined && (await compareMirror(mirrored, user, parts)).differences.length === 0;
}
