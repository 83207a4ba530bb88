import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountDecider, DomainError } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { actorOf, type Caller } from '../caller/caller.js';
import { CommandRunner, type Origin } from '../handle-command.js';
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
    private readonly loader: StreamLoader,
    private readonly names: UserNames,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, accountId, account: written, origin }: UpdateAccount): Promise<void> {
    const ref = accountStream(accountId);
    const [{ state: account }] = await this.loader.load(ref);
    if (account.status !== 'active') throw new DomainError('account-not-found');
    const { username, password, ...rest } = written;
    const command = {
      ...rest,
      type: 'UpdateAccount',
      name: await this.names.claim(username),
      ...(await this.passwords.makeUnlessEmpty(password, accountId)),
    } as const;
    await this.commands.run(ref, accountDecider, command, { actor: actorOf(caller), ...origin });
  }
}
