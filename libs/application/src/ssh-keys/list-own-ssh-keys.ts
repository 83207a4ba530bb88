import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { CallerWithKeys } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { keyListOf, type ListedSshKey } from './listed-ssh-key.js';

/** Lists the caller's keys, oldest first. */
export class ListOwnSshKeysQuery extends Query<readonly ListedSshKey[]> {
  constructor(readonly caller: CallerWithKeys) {
    super();
  }
}

@QueryHandler(ListOwnSshKeysQuery)
export class ListOwnSshKeysHandler implements IQueryHandler<ListOwnSshKeysQuery> {
  constructor(private readonly clock: Clock) {}

  async execute({ caller }: ListOwnSshKeysQuery): Promise<readonly ListedSshKey[]> {
    return keyListOf(caller.keys, this.clock.now());
  }
}
