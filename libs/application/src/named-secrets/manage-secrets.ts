import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { accountOfSecret, bytesOf, type Account, type NamedSecret, type NamedSecrets } from '@keyfold/domain';
import { accountStream, PAGE_BYTES, ReadModelStore, StreamLoader, type Page } from '@keyfold/projections';
import { contextOf, type Administrator } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { listedSecret, type ListedSecret, type SecretKind } from './secret-kinds.js';

/** The secrets of one account, as lists show them. */
export type AccountSecrets<Details> = Readonly<{
  accountId: number;
  username: string;
  secrets: readonly ListedSecret<Details>[];
}>;

/** In bytes of the answer. Each secret counts on a page with its name, and with this for everything else. */
const ENTRY_BYTES = 400;
/** Maximum number of accounts on a page. */
export const PAGE_ACCOUNTS = 1_000;

/**
 * Lists the accounts that have secrets of one kind, in order of their ids, with these secrets. A page ends early if it is full, but has at
 * least one account. `total` also counts deleted accounts that had secrets, which are left out. With `accountId`, lists only this account.
 */
export class ListAnySecretsQuery<Details> extends Query<Page<AccountSecrets<Details>>> {
  constructor(
    readonly kind: SecretKind<Details>,
    readonly offset: number,
    readonly limit: number,
    readonly accountId?: number,
  ) {
    super();
  }
}

@QueryHandler(ListAnySecretsQuery)
export class ListAnySecretsHandler implements IQueryHandler<ListAnySecretsQuery<unknown>> {
  constructor(
    private readonly readModels: ReadModelStore,
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute<Details>(query: ListAnySecretsQuery<Details>): Promise<Page<AccountSecrets<Details>>> {
    const { kind, offset, limit, accountId } = query;
    if (accountId !== undefined) return this.#pageOf(accountId, query);
    let bytes = 0;
    const { items, total } = await this.readModels.list(kind.model, offset, Math.min(limit, PAGE_ACCOUNTS), (state) => {
      const isFirst = bytes === 0;
      bytes += state.secrets.reduce((sum, { name }) => sum + ENTRY_BYTES + bytesOf(name), ENTRY_BYTES);
      return isFirst || bytes <= PAGE_BYTES;
    });
    const ids = items.map(({ secrets }) => accountOfSecret(secrets[0]!.id));
    const accounts = await this.loader.load(...ids.map(accountStream));
    return {
      items: await this.#shown(
        kind,
        accounts.map(({ state }, index) => [state, items[index]!]),
      ),
      total,
    };
  }

  async #pageOf<Details>(
    accountId: number,
    { kind, offset, limit }: ListAnySecretsQuery<Details>,
  ): Promise<Page<AccountSecrets<Details>>> {
    const [account, owned] = await this.loader.load(accountStream(accountId), kind.streamOf(accountId));
    const isOwner = owned.state.secrets.length > 0;
    const owners = isOwner ? await this.#shown(kind, [[account.state, owned.state]]) : [];
    return { items: owners.slice(offset, offset + limit), total: owners.length };
  }

  async #shown<Details>(
    { name }: SecretKind<Details>,
    owners: readonly (readonly [Account, NamedSecrets<NamedSecret & Details>])[],
  ): Promise<AccountSecrets<Details>[]> {
    const active = owners.filter(([{ status }]) => status === 'active');
    const lastUses = await this.activity.lastUsesOfSecrets(
      name,
      active.flatMap(([, { secrets }]) => secrets),
    );
    const now = this.clock.now();
    return active.map(([{ accountId, username }, { secrets }]) => ({
      accountId,
      username,
      secrets: secrets.map((secret) => listedSecret(secret, lastUses.get(secret.id), now)),
    }));
  }
}

/** Revokes a secret of any account. */
export class RevokeAnySecretCommand<Details> extends Command<void> {
  constructor(
    readonly kind: SecretKind<Details>,
    readonly caller: Administrator,
    readonly id: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RevokeAnySecretCommand)
export class RevokeAnySecretHandler implements ICommandHandler<RevokeAnySecretCommand<unknown>> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute<Details>({ kind, caller, id, origin }: RevokeAnySecretCommand<Details>): Promise<void> {
    const ref = kind.streamOf(accountOfSecret(id));
    await this.runner.run(ref, { type: kind.commands.revoke, id, now: this.clock.now() }, contextOf(caller, origin));
  }
}
