import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller/caller.js';
import { keyListOf, type ListedSshKey } from './listed-ssh-key.js';

/** The caller's keys, oldest first. The caller must have been identified with its keys. */
export class ListOwnSshKeys extends Query<readonly ListedSshKey[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ListOwnSshKeys)
export class ListOwnSshKeysHandler implements IQueryHandler<ListOwnSshKeys> {
  async execute({ caller }: ListOwnSshKeys): Promise<readonly ListedSshKey[]> {
    return keyListOf(caller.keys!);
  }
}
