import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountDecider } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { UserNames } from '../user-names.js';
import { AccountIds } from './account-ids.js';
import type { AccountInput } from './account-input.js';
import { NewPasswords } from './new-passwords.js';

const NO_ID = 0;
const NO_PASSWORD = { sealedHash: '', timestamp: 0 };

/** Creates an account on behalf of an administrator. The password may be empty. */
export class RegisterAccountCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly account: AccountInput,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RegisterAccountCommand)
export class RegisterAccountHandler implements ICommandHandler<RegisterAccountCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
    private readonly ids: AccountIds,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, account, origin }: RegisterAccountCommand): Promise<void> {
    const { username, password: text, ...rest } = account;
    const wanted = {
      ...rest,
      type: 'RegisterAccount',
      origin: 'administrator',
      name: await this.names.claim(username),
      // compat: the original's database stores true for a missing or false value (wire contract 2.7).
      allowLdap: true,
    } as const;
    // A command that would be refused must cost neither an id nor a hash.
    accountDecider.decide(accountDecider.initialState, { ...wanted, accountId: NO_ID, password: NO_PASSWORD });
    await this.passwords.require(text);
    const accountId = await this.ids.next();
    const context = { actor: actorOf(caller), ...origin };
    const password = await this.passwords.makeUnchecked(text, accountId, context.actor);
    await this.runner.run(accountStream(accountId), { ...wanted, accountId, password }, context);
  }
}
