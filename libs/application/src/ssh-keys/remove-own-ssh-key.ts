import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sshKeyRingStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Removes a key of the caller. A key of another account is refused like a nonexistent one. */
export class RemoveOwnSshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly keyId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `ssh-key-not-found`. */
@CommandHandler(RemoveOwnSshKeyCommand)
export class RemoveOwnSshKeyHandler implements ICommandHandler<RemoveOwnSshKeyCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, keyId, origin }: RemoveOwnSshKeyCommand): Promise<void> {
    const ref = sshKeyRingStream(caller.account.accountId);
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(ref, { type: 'RemoveSshKey', keyId }, context);
  }
}
