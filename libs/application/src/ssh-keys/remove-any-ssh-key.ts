import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountOfKey, DomainError } from '@keyfold/domain';
import { sshKeyRingStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import { protectAdmins } from '../caller/protect-admins.js';
import type { Origin } from '../origin.js';

/** Removes a key of any account on behalf of an administrator. compat: succeeds if the key does not exist (wire contract 2.7). */
export class RemoveAnySshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly keyId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveAnySshKeyCommand)
export class RemoveAnySshKeyHandler implements ICommandHandler<RemoveAnySshKeyCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, keyId, origin }: RemoveAnySshKeyCommand): Promise<void> {
    const accountId = accountOfKey(keyId);
    await protectAdmins(caller, accountId, this.runner);
    const ref = sshKeyRingStream(accountId);
    const context = { actor: actorOf(caller), ...origin };
    try {
      await this.runner.run(ref, { type: 'RemoveSshKey', keyId }, context);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'ssh-key-not-found')) throw error;
    }
  }
}
