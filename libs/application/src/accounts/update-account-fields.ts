import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AccountFields } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { UserNames } from '../user-names.js';

/** The new values of some fields of an account. */
export type AccountChanges = Readonly<Partial<Omit<AccountFields, 'role'>> & { username?: string }>;

/** Changes some fields of an account on behalf of an administrator, and never undoes a concurrent change of another field. */
export class UpdateAccountFieldsCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly changes: AccountChanges,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateAccountFieldsCommand)
export class UpdateAccountFieldsHandler implements ICommandHandler<UpdateAccountFieldsCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
  ) {}

  async execute({ caller, accountId, changes, origin }: UpdateAccountFieldsCommand): Promise<void> {
    const { username, ...fields } = changes;
    const name = username === undefined ? {} : { name: await this.names.claim(username) };
    const context = { actor: actorOf(caller), ...origin };
    await this.runner.run(accountStream(accountId), { type: 'UpdateAccount', ...fields, ...name }, context);
  }
}
