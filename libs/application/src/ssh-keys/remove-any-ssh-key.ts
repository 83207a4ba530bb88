import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountOfKey, DomainError } from '@keyfold/domain';
import { sshKeyRingStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** An administrator removes any key. compat: also one that does not exist (wire contract 2.7). */
export class RemoveAnySshKey extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly keyId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveAnySshKey)
export class RemoveAnySshKeyHandler implements ICommandHandler<RemoveAnySshKey> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ caller, keyId, origin }: RemoveAnySshKey): Promise<void> {
    const ref = sshKeyRingStream(accountOfKey(keyId));
    const context = { actor: actorOf(caller), ...origin };
    try {
      await this.commands.run(ref, { type: 'RemoveSshKey', keyId }, context);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'ssh-key-not-found')) throw error;
    }
  }
}
