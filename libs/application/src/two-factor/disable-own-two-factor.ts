import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { actorOf, isGuest, proofOf, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { OwnerProof, type Proof } from './owner-proof.js';

/** Disables two-factor for the caller, who gives the password or a code. Does nothing and asks for no proof if it is off. */
export class DisableOwnTwoFactorCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly proof: Proof,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DisableOwnTwoFactorCommand)
export class DisableOwnTwoFactorHandler implements ICommandHandler<DisableOwnTwoFactorCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly ownerProof: OwnerProof,
  ) {}

  async execute({ caller, proof, origin }: DisableOwnTwoFactorCommand): Promise<void> {
    if (isGuest(caller)) throw new DomainError('guest-has-no-two-factor');
    const { account } = caller;
    if (!account.twoFactor) return;
    await this.ownerProof.before(account, proof, origin, async (usedCode) => {
      const command = { type: 'DisableTwoFactor', ...proofOf(caller), usedCode } as const;
      await this.runner.run(accountStream(account.accountId), command, { actor: actorOf(caller), ...origin });
    });
  }
}
