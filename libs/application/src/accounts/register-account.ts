import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountDecider } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../command-runner.js';
import { UserNames } from '../user-names.js';
import { AccountIds } from './account-ids.js';
import type { WrittenAccount } from './written-account.js';
import { NewPasswords } from './new-passwords.js';

const NO_ID = 0;
const NO_PASSWORD = { sealedHash: '', timestamp: 0 };

/** An administrator makes an account; the password may be empty. */
export class RegisterAccount extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly account: WrittenAccount,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RegisterAccount)
export class RegisterAccountHandler implements ICommandHandler<RegisterAccount> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly names: UserNames,
    private readonly ids: AccountIds,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, account, origin }: RegisterAccount): Promise<void> {
    const { username, password: text, ...rest } = account;
    const wanted = {
      ...rest,
      type: 'RegisterAccount',
      origin: 'administrator',
      name: await this.names.claim(username),
      // compat: the original's database stores true for a missing or false value (wire contract 2.7).
      allowLdap: true,
    } as const;
    // What is refused anyway shall cost neither an id nor a hash.
    accountDecider.decide(accountDecider.initialState, { ...wanted, accountId: NO_ID, password: NO_PASSWORD });
    await this.passwords.require(text);
    const accountId = await this.ids.next();
    const context = { actor: actorOf(caller), ...origin };
    const password = await this.passwords.makeUnchecked(text, accountId, context.actor);
    await this.commands.run(accountStream(accountId), { ...wanted, accountId, password }, context);
  }
}
