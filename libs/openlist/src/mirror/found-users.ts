import type { OpenListUser } from '@keyfold/domain';
import { USER_PAGE, type FoundUser, type OpenListApi } from '../api/openlist-api.js';
import { accountOfMirror } from './mirrored-user.js';

/**
 * Returns the user of a link, whatever its password; undefined if OpenList no longer has it. Another user may have its id by now. A link without an id
 * belongs to a creation whose answer may be lost, so the user is found by its mark.
 */
export async function linkedUser(
  api: Pick<OpenListApi, 'user' | 'users'>,
  { accountId, userId, sealedPassword }: OpenListUser,
): Promise<FoundUser | undefined> {
  const isMirror = (user: FoundUser) => accountOfMirror(user) === accountId;
  if (userId === 0) return sealedPassword === '' ? undefined : findUser(api, isMirror);
  const user = await api.user(userId);
  return user && isMirror(user) ? user : undefined;
}

/**
 * Yields pages of the users of OpenList, the last users first, so that a deletion between two pages hides nobody. A user who is created
 * meanwhile may be missing.
 */
export async function* userPages(api: Pick<OpenListApi, 'users'>): AsyncGenerator<readonly FoundUser[]> {
  const { total } = await api.users(1, 1);
  let first = Infinity;
  for (let page = Math.ceil(total / USER_PAGE); page > 0; page--) {
    const unseen = (await api.users(page)).users.filter(({ id }) => id < first);
    first = Math.min(first, ...unseen.map(({ id }) => id));
    yield unseen;
  }
}

export async function findUser(
  api: Pick<OpenListApi, 'users'>,
  isWanted: (user: FoundUser) => boolean,
): Promise<FoundUser | undefined> {
  for await (const page of userPages(api)) {
    const found = page.find(isWanted);
    if (found) return found;
  }
  return undefined;
}
