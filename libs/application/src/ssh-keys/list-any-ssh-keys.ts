import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, sshKeyRingStream, sshKeyUseStream, StreamLoader } from '@keyfold/projections';
import { keyListOf, type ListedSshKey } from './listed-ssh-key.js';

/** The keys of any account, oldest first; `user-invalid` when the account is gone. */
export class ListSshKeysOf extends Query<readonly ListedSshKey[]> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(ListSshKeysOf)
export class ListSshKeysOfHandler implements IQueryHandler<ListSshKeysOf> {
  constructor(private readonly loader: StreamLoader) {}

  async execute({ accountId }: ListSshKeysOf): Promise<readonly ListedSshKey[]> {
    const [account, ring, use] = await this.loader.load(
      accountStream(accountId),
      sshKeyRingStream(accountId),
      sshKeyUseStream(accountId),
    );
    if (account.state.status !== 'active') throw new DomainError('user-invalid');
    return keyListOf({ ring: ring.state, use: use.state });
  }
}
