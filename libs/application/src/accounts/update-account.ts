import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';
import { UserNames } from '../user-names.js';
import type { WrittenAccount } from './written-account.js';
import { NewPasswords } from './new-passwords.js';

/** An administrator writes the whole account; an empty password keeps the old one, and only what differs changes. */
export class UpdateAccount extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly accountId: number,
    readonly account: WrittenAccount,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateAccount)
export class UpdateAccountHandler implements ICommandHandler<UpdateAccount> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly names: UserNames,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, accountId, account: written, origin }: UpdateAccount): Promise<void> {
    const { username, password: text, ...rest } = written;
    const wanted = { ...rest, type: 'UpdateAccount', name: await this.names.claim(username) } as const;
    const context = { actor: actorOf(caller), ...origin };
    const ref = accountStream(accountId);
    if (text !== '') await this.commands.require(ref, wanted);
    const password = await this.passwords.makeUnlessEmpty(text, accountId, context.actor);
    await this.commands.run(ref, { ...wanted, ...password }, context);
  }
}
