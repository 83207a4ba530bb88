import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, sshKeyRingStream, sshKeyUseStream, StreamLoader } from '@keyfold/projections';
import { Clock } from '../clock.js';
import { keyListOf, type ListedSshKey } from './listed-ssh-key.js';

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
