import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import { protectAdmins } from '../caller/protect-admins.js';
import type { Origin } from '../origin.js';
import { UserNames } from '../user-names.js';
import type { AccountInput } from './account-input.js';
import { NewPasswords } from './new-passwords.js';

/** Replaces all fields of an account on behalf of an administrator. An empty password keeps the old one. */
export class UpdateAccountCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly accountId: number,
    readonly account: AccountInput,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateAccountCommand)
export class UpdateAccountHandler implements ICommandHandler<UpdateAccountCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, accountId, account: written, origin }: UpdateAccountCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    const { username, password: text, ...rest } = written;
    const wanted = { ...rest, type: 'UpdateAccount', name: await this.names.claim(username) } as const;
    const context = { actor: actorOf(caller), ...origin };
    const ref = accountStream(accountId);
    if (text !== '') await this.runner.require(ref, wanted);
    const password = await this.passwords.makeUnlessEmpty(text, accountId, context.actor);
    await this.runner.run(ref, { ...wanted, ...password }, context);
  }
}
