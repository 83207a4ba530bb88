import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sshKeyRingStream } from '@keyfold/projections';
import { parseSshPublicKey } from '@keyfold/security';
import { actorOf, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** Adds a public key, given as a line of an `authorized_keys` file, to the caller's ring. */
export class AddOwnSshKey extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly title: string,
    readonly keyText: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(AddOwnSshKey)
export class AddOwnSshKeyHandler implements ICommandHandler<AddOwnSshKey> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, title, keyText, origin }: AddOwnSshKey): Promise<void> {
    const { accountId } = caller.account;
    const key = parseSshPublicKey(keyText);
    const command = { type: 'AddSshKey', accountId, title, key, now: this.clock.now() } as const;
    const context = { actor: actorOf(caller), ...origin };
    await this.commands.run(sshKeyRingStream(accountId), command, context);
  }
}
