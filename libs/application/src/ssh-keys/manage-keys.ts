import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountOfKey, DomainError } from '@keyfold/domain';
import { accountStream, sshKeyRingStream, sshKeyUseStream, StreamLoader } from '@keyfold/projections';
import { contextOf, protectAdmins, type Administrator } from '../caller/caller.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { keyListOf, type ListedSshKey } from './listed-keys.js';

/** Lists the keys of any account, oldest first. */
export class ListAnySshKeysQuery extends Query<readonly ListedSshKey[]> {
  constructor(readonly accountId: number) {
    super();
  }
}

/** @throws `user-invalid` if the account does not exist. */
@QueryHandler(ListAnySshKeysQuery)
export class ListAnySshKeysHandler implements IQueryHandler<ListAnySshKeysQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly clock: Clock,
  ) {}

  async execute({ accountId }: ListAnySshKeysQuery): Promise<readonly ListedSshKey[]> {
    const [account, ring, use] = await this.loader.load(
      accountStream(accountId),
      sshKeyRingStream(accountId),
      sshKeyUseStream(accountId),
    );
    if (account.state.status !== 'active') throw new DomainError('user-invalid');
    return keyListOf({ ring: ring.state, use: use.state }, this.clock.now());
  }
}

/** Removes a key of any account on behalf of an administrator. compat: succeeds if the key does not exist (wire contract 2.7). */
export class RemoveAnySshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly keyId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveAnySshKeyCommand)
export class RemoveAnySshKeyHandler implements ICommandHandler<RemoveAnySshKeyCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, keyId, origin }: RemoveAnySshKeyCommand): Promise<void> {
    const accountId = accountOfKey(keyId);
    await protectAdmins(caller, accountId, this.runner);
    const ref = sshKeyRingStream(accountId);
    try {
      await this.runner.run(ref, { type: 'RemoveSshKey', keyId }, contextOf(caller, origin));
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'ssh-key-not-found')) throw error;
    }
  }
}
