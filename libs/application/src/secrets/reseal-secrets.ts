import { DomainError } from '@keyfold/domain';
import { SealBroken, UnknownSealingKey, type Sealer } from '@keyfold/security';
import type { CommandContext, CommandRunner } from '../command-runner.js';
import type { SecretHolder } from './secret-walk.js';

/** Secrets that got the first sealing key, and those that had it; `problems` are those that no key opens. */
export type Resealed = Readonly<{ resealed: number; unchanged: number; problems: readonly string[] }>;

/**
 * Reseals the secrets of one stream with the first sealing key, in one commit; none when all of them have it. A secret that changes
 * meanwhile keeps its new text. Repeating it does no harm.
 *
 * @throws StoreUnavailable
 */
export async function resealSecrets(
  holder: SecretHolder,
  sealer: Sealer,
  commands: CommandRunner,
  context: CommandContext,
): Promise<Resealed> {
  const resealed = new Map<string, string>();
  const problems: string[] = [];
  for (const { kind, sealed, context: sealedFor } of holder.secrets) {
    try {
      const text = sealer.reseal(sealed, sealedFor);
      if (text !== undefined) resealed.set(sealed, text);
    } catch (error) {
      if (!(error instanceof UnknownSealingKey || error instanceof SealBroken)) throw error;
      problems.push(`the ${kind} of ${holder.stream}: ${error.message}`);
    }
  }
  if (resealed.size > 0) {
    await holder.run(commands, { type: 'ResealSecrets', resealed }, context).catch(unlessDeleted);
  }
  return { resealed: resealed.size, unchanged: holder.secrets.length - resealed.size - problems.length, problems };
}

/** An account that was deleted meanwhile has no secrets any more. */
function unlessDeleted(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'account-not-found')) throw error;
}
