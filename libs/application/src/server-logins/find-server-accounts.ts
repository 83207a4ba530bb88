import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { UserNames } from '../user-names.js';

/** An enabled account, as file servers see it. `basePath` is normalized and starts with `/`. */
export type ServerAccount = Readonly<{ accountId: number; username: string; basePath: string; permission: number }>;

/**
 * Finds the enabled accounts with these names. Proves nothing about who asks: check a password or a key, too, before admitting anyone. An
 * unknown name costs as many store operations as a known one.
 */
export class FindServerAccountsQuery extends Query<ReadonlyMap<string, ServerAccount>> {
  /** @param usernames distinct names; the caller bounds their number */
  constructor(readonly usernames: readonly string[]) {
    super();
  }
}

/** Leaves out unknown names, and deleted and disabled accounts. */
@QueryHandler(FindServerAccountsQuery)
export class FindServerAccountsHandler implements IQueryHandler<FindServerAccountsQuery> {
  constructor(private readonly names: UserNames) {}

  async execute({ usernames }: FindServerAccountsQuery): Promise<ReadonlyMap<string, ServerAccount>> {
    const found = await Promise.all(usernames.map((username) => this.names.accountOf(username)));
    return new Map(
      found
        .filter((account) => account !== undefined && !account.disabled)
        .map((account) => {
          const { accountId, username, basePath, permission } = account!;
          return [username, { accountId, username, basePath, permission }] as const;
        }),
    );
  }
}
