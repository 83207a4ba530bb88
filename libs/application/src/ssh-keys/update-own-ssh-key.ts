import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { UpdateSshKey } from '@keyfold/domain';
import { sshKeyRingStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Changes title and expiry of a key of the caller. A key of another account is refused like a nonexistent one. */
export class UpdateOwnSshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly keyId: number,
    readonly change: Pick<UpdateSshKey, 'title' | 'expiresAt'>,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `ssh-key-not-found`, or the other refusals of `UpdateSshKey`. */
@CommandHandler(UpdateOwnSshKeyCommand)
export class UpdateOwnSshKeyHandler implements ICommandHandler<UpdateOwnSshKeyCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, keyId, change, origin }: UpdateOwnSshKeyCommand): Promise<void> {
    const ref = sshKeyRingStream(caller.account.accountId);
    const command = { type: 'UpdateSshKey', keyId, ...change, now: this.clock.now() } as const;
    await this.runner.run(ref, command, { actor: actorOf(caller), ...origin });
  }
}
