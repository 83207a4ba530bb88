import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { newRecoveryCodes, RECOVERY_CODES, recoveryCodeHashes, Sealer } from '@keyfold/security';
import { actorOf, isGuest, proofOf, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { sealingContext } from '../sealing-context.js';
import { OwnerProof, type Proof } from './owner-proof.js';

/** Replaces the recovery codes of the caller, who gives the password or a code. Returns the new ones, which nothing shows again. */
export class GenerateRecoveryCodesCommand extends Command<readonly string[]> {
  constructor(
    readonly caller: Caller,
    readonly proof: Proof,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(GenerateRecoveryCodesCommand)
export class GenerateRecoveryCodesHandler implements ICommandHandler<GenerateRecoveryCodesCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly ownerProof: OwnerProof,
    private readonly sealer: Sealer,
  ) {}

  async execute({ caller, proof, origin }: GenerateRecoveryCodesCommand): Promise<readonly string[]> {
    if (isGuest(caller)) throw new DomainError('guest-has-no-two-factor');
    const { account } = caller;
    const { accountId } = account;
    if (!account.twoFactor) throw new DomainError('two-factor-off');
    const codes = newRecoveryCodes();
    const sealedCodes = this.sealer.seal(recoveryCodeHashes(codes), sealingContext.recoveryCodes(accountId));
    await this.ownerProof.before(account, proof, origin, async (usedCode) => {
      const generated = { type: 'GenerateRecoveryCodes', sealedCodes, count: RECOVERY_CODES, usedCode } as const;
      const command = { ...generated, ...proofOf(caller) };
      await this.runner.run(accountStream(accountId), command, { actor: actorOf(caller), ...origin });
    });
    return codes;
  }
}
