import { ADMIN_ID, GUEST_ID, type OpenListUser } from '@keyfold/domain';
import { accountStream, openlistUserStream, type StreamLoader } from '@keyfold/projections';
import pLimit from 'p-limit';
import { ROLE_ADMIN, ROLE_GUEST, type FoundUser, type OpenListApi } from '../api/openlist-api.js';
import { MirrorBlocked } from '../api/openlist.errors.js';
import { linkedUser } from './found-users.js';
import { accountOfMirror } from './mirrored-user.js';
import type { OpenListMirror } from './openlist-mirror.js';

/** Users that are looked up concurrently. */
const CONCURRENT_USERS = 8;

/**
 * Tells which user of OpenList stands for which account, with the administrators and the guests of both. Methods throw `OpenListUnavailable`,
 * `OpenListRefused` and the errors of the store.
 */
export class MirroredIds {
  constructor(
    private readonly api: OpenListApi,
    private readonly loader: StreamLoader,
    private readonly mirror: Pick<OpenListMirror, 'carry'>,
  ) {}

  /** Returns the accounts by the ids of their users. Users that stand for no account are missing. */
  accountsOf(userIds: Iterable<number>): Promise<Map<number, number>> {
    return found(userIds, (id) => this.#accountOf(id));
  }

  /** Returns the users by the ids of their accounts, and makes missing mirrors. Accounts that cannot have one are missing. */
  async usersOf(accountIds: Iterable<number>): Promise<Map<number, number>> {
    const ids = new Set(accountIds);
    const unmirrored = ids.has(ADMIN_ID) || ids.has(GUEST_ID) ? await this.#adminAndGuest() : new Map<number, number>();
    return found(ids, async (id) =>
      id === ADMIN_ID || id === GUEST_ID ? unmirrored.get(id) : ((await this.#mirrorOf(id)) ?? this.#newMirrorOf(id)),
    );
  }

  async #accountOf(userId: number): Promise<number | undefined> {
    const user = userId > 0 ? await this.api.user(userId) : undefined;
    if (!user) return undefined;
    if (user.role === ROLE_ADMIN) return ADMIN_ID;
    if (user.role === ROLE_GUEST) return GUEST_ID;
    const accountId = accountOfMirror(user);
    const link = accountId === undefined ? undefined : await this.#linkOf(accountId);
    if (!link) return undefined;
    // A user may have the mark of an account and not be its mirror. The link of a new mirror has no id until its creation is confirmed.
    const mirrorId = link.userId || (await linkedUser(this.api, link))?.id;
    return mirrorId === userId ? accountId : undefined;
  }

  async #mirrorOf(accountId: number): Promise<number | undefined> {
    const link = await this.#linkOf(accountId);
    return link && (await linkedUser(this.api, link))?.id;
  }

  async #newMirrorOf(accountId: number): Promise<number | undefined> {
    const [{ state: account }] = await this.loader.load(accountStream(accountId));
    if (account.status !== 'active') return undefined;
    try {
      await this.mirror.carry(accountId);
    } catch (error) {
      if (error instanceof MirrorBlocked) return undefined;
      throw error;
    }
    return this.#mirrorOf(accountId);
  }

  /** Returns the link of an active account. */
  async #linkOf(accountId: number): Promise<OpenListUser | undefined> {
    const [{ state: account }, { state: link }] = await this.loader.load(
      accountStream(accountId),
      openlistUserStream(accountId),
    );
    return account.status === 'active' ? link : undefined;
  }

  /** OpenList makes both at its first start, so they are among its first users. */
  async #adminAndGuest(): Promise<Map<number, number>> {
    const { users } = await this.api.users(1);
    const withRole = (wanted: FoundUser['role']) => users.find(({ role }) => role === wanted)?.id;
    return found([ADMIN_ID, GUEST_ID], async (id) => withRole(id === ADMIN_ID ? ROLE_ADMIN : ROLE_GUEST));
  }
}

async function found(
  ids: Iterable<number>,
  find: (id: number) => Promise<number | undefined>,
): Promise<Map<number, number>> {
  const result = new Map<number, number>();
  await pLimit(CONCURRENT_USERS).map(new Set(ids), async (id) => {
    const other = await find(id);
    if (other !== undefined) result.set(id, other);
  });
  return result;
}
