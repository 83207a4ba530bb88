import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sshKeyRingStream } from '@keyfold/projections';
import { parseSshPublicKey } from '@keyfold/security';
import { actorOf, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/**
 * Adds a public key to the caller's ring. `keyText` is a line of an `authorized_keys` file. `expiresAt` is in unix milliseconds; without
 * it the key never expires.
 */
export class AddOwnSshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly title: string,
    readonly keyText: string,
    readonly expiresAt: number | undefined,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(AddOwnSshKeyCommand)
export class AddOwnSshKeyHandler implements ICommandHandler<AddOwnSshKeyCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, title, keyText, expiresAt, origin }: AddOwnSshKeyCommand): Promise<void> {
    const { accountId } = caller.account;
    const key = parseSshPublicKey(keyText);
    const command = { type: 'AddSshKey', accountId, title, key, expiresAt, now: this.clock.now() } as const;
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(sshKeyRingStream(accountId), command, context);
  }
}
