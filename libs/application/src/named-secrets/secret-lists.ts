import { bytesOf, isSecretExpired, type Account, type NamedSecret } from '@keyfold/domain';
import {
  accountStream,
  type Page,
  type ReadModel,
  type ReadModelStore,
  type StreamLoader,
  type StreamRef,
} from '@keyfold/projections';

/** A secret as lists show it, without its hash. `lastUsedAt` is in unix seconds, possibly some minutes too early. */
export type ListedSecret<Secret extends NamedSecret> = Readonly<
  Omit<Secret, 'hash'> & { lastUsedAt: number | undefined; isExpired: boolean }
>;

/** Returns the list entry of a secret. `now` is in unix milliseconds. */
export function listedSecret<Secret extends NamedSecret>(
  { hash: _hash, ...secret }: Secret,
  lastUsedAt: number | undefined,
  now: number,
): ListedSecret<Secret> {
  return { ...secret, lastUsedAt, isExpired: isSecretExpired(secret, now) };
}

/** The secrets of one account, as lists show them. */
export type SecretHolder<Listed> = Readonly<{ accountId: number; username: string; secrets: readonly Listed[] }>;

/** One kind of secret: its store and its list entries. */
export type SecretKind<State, Secret extends NamedSecret, Listed> = Readonly<{
  /** Lists the accounts that have at least one. */
  model: ReadModel<State>;
  streamOf(accountId: number): StreamRef<State>;
  secretsOf(state: State): readonly Secret[];
  accountOf(secret: Secret | Listed): number;
  list(secrets: readonly Secret[]): Promise<readonly Listed[]>;
}>;

/** Maximum size of a page, in bytes of the answer. Each secret counts with its name and with `ENTRY_BYTES` for everything else. */
const PAGE_BYTES = 2 * 1024 * 1024;
const ENTRY_BYTES = 400;
/** Maximum number of accounts on a page. */
const PAGE_ACCOUNTS = 1_000;

/** Lists the accounts that have secrets of one kind, in order of their ids, with these secrets. */
export class HolderPages<State, Secret extends NamedSecret, Listed> {
  constructor(
    private readonly readModels: ReadModelStore,
    private readonly loader: StreamLoader,
    private readonly kind: SecretKind<State, Secret, Listed>,
  ) {}

  /**
   * Returns a page. It ends early if it is full, but has at least one account. `total` also counts deleted accounts that had secrets, which
   * are left out. With `accountId`, lists only this account.
   */
  async page(offset: number, limit: number, accountId?: number): Promise<Page<SecretHolder<Listed>>> {
    if (accountId !== undefined) return this.#pageOf(accountId, offset, limit);
    const { model, secretsOf, accountOf } = this.kind;
    let bytes = 0;
    const { items, total } = await this.readModels.list(model, offset, Math.min(limit, PAGE_ACCOUNTS), (state) => {
      const isFirst = bytes === 0;
      bytes += secretsOf(state).reduce((sum, { name }) => sum + ENTRY_BYTES + bytesOf(name), ENTRY_BYTES);
      return isFirst || bytes <= PAGE_BYTES;
    });
    const ids = items.map((state) => accountOf(secretsOf(state)[0]!));
    const accounts = await this.loader.load(...ids.map(accountStream));
    return { items: await this.#holders(accounts.map(({ state }, index) => [state, items[index]!])), total };
  }

  async #pageOf(accountId: number, offset: number, limit: number): Promise<Page<SecretHolder<Listed>>> {
    const [account, owned] = await this.loader.load(accountStream(accountId), this.kind.streamOf(accountId));
    const isHolder = this.kind.secretsOf(owned.state).length > 0;
    const holders = isHolder ? await this.#holders([[account.state, owned.state]]) : [];
    return { items: holders.slice(offset, offset + limit), total: holders.length };
  }

  async #holders(owners: readonly (readonly [Account, State])[]): Promise<SecretHolder<Listed>[]> {
    const { secretsOf, accountOf, list } = this.kind;
    const active = owners.filter(([{ status }]) => status === 'active');
    const listed = await list(active.flatMap(([, state]) => secretsOf(state)));
    const byAccount = Map.groupBy(listed, accountOf);
    return active.map(([{ accountId, username }]) => ({
      accountId,
      username,
      secrets: byAccount.get(accountId) ?? [],
    }));
  }
}
