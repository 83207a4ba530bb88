import { DomainError } from '@keyfold/domain';
import { SealBroken, UnknownSealingKey, type Sealer } from '@keyfold/security';
import type { CommandContext, CommandRunner } from '../command-runner.js';
import type { SealedStream } from './secret-walk.js';

/** How many secrets were resealed and how many already had the first key. `problems` describes each secret that no key opens. */
export type Resealed = Readonly<{ resealed: number; unchanged: number; problems: readonly string[] }>;

/**
 * Reseals the secrets of one stream with the first sealing key, in one commit or, if all of them have it already, in none. A secret that
 * is replaced in the meantime keeps its new text. Safe to repeat.
 *
 * @throws StoreUnavailable
 */
export async function resealSecrets(
  sealedStream: SealedStream,
  sealer: Sealer,
  runner: CommandRunner,
  context: CommandContext,
): Promise<Resealed> {
  const resealed = new Map<string, string>();
  const problems: string[] = [];
  for (const { kind, key, sealed, context: sealingContext } of sealedStream.secrets) {
    try {
      const text = sealer.reseal(sealed, sealingContext);
      if (text !== undefined) resealed.set(sealed, text);
    } catch (error) {
      if (!(error instanceof UnknownSealingKey || error instanceof SealBroken)) throw error;
      const secret = key === undefined ? kind : `${kind} ${key}`;
      problems.push(`the ${secret} of ${sealedStream.stream}: ${error.message}`);
    }
  }
  if (resealed.size > 0) {
    await sealedStream.run(runner, { type: 'ResealSecrets', resealed }, context).catch(unlessDeleted);
  }
  return {
    resealed: resealed.size,
    unchanged: sealedStream.secrets.length - resealed.size - problems.length,
    problems,
  };
}

/** Ignores that the account was deleted in the meantime: it has no secrets any more. */
function unlessDeleted(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'account-not-found')) throw error;
}
