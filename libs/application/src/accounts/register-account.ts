import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountDecider, DomainError, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../handle-command.js';
import { UserNames } from '../user-names.js';
import { AccountIds } from './account-ids.js';
import type { WrittenAccount } from './written-account.js';
import { NewPasswords } from './new-passwords.js';

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
    const { username, password, role, ...rest } = account;
    // What is refused anyway shall cost neither an id nor a hash.
    if (role === ROLE_ADMIN || role === ROLE_GUEST) throw new DomainError('admin-or-guest-uncreatable');
    const name = await this.names.claim(username);
    if (name.turn === 'taken') throw new DomainError('username-taken');
    const accountId = await this.ids.next();
    const command = {
      ...rest,
      type: 'RegisterAccount',
      origin: 'administrator',
      accountId,
      name,
      role,
      password: await this.passwords.make(password, accountId),
      // compat: the original's database stores true for a missing or false value (wire contract 2.7).
      allowLdap: true,
    } as const;
    await this.commands.run(accountStream(accountId), accountDecider, command, { actor: actorOf(caller), ...origin });
  }
}
