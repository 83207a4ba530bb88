import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sshKeyRingStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** Removes a key of the caller; a key of somebody else is as unknown as one that never was. */
export class RemoveOwnSshKey extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly keyId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveOwnSshKey)
export class RemoveOwnSshKeyHandler implements ICommandHandler<RemoveOwnSshKey> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ caller, keyId, origin }: RemoveOwnSshKey): Promise<void> {
    const ref = sshKeyRingStream(caller.account.accountId);
    const context = { actor: actorOf(caller), ...origin };
    await this.commands.run(ref, { type: 'RemoveSshKey', keyId }, context);
  }
}
