import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';
import { NewPasswords } from './new-passwords.js';

/** Gives an account a new password and changes nothing else. Its sessions end. */
export class SetPassword extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly password: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `HashQueueFull`, `account-not-found`, `password-too-short` or `password-too-common`. */
@CommandHandler(SetPassword)
export class SetPasswordHandler implements ICommandHandler<SetPassword> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, accountId, password: text, origin }: SetPassword): Promise<void> {
    const context = { actor: actorOf(caller), ...origin };
    const password = await this.passwords.make(text, accountId, context.actor);
    await this.commands.run(accountStream(accountId), { type: 'SetPassword', password }, context);
  }
}
