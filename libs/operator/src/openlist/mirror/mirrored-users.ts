import { ROLE_ADMIN, ROLE_GUEST, type Account, type OpenListUser, type SshKeyRing } from '@keyfold/domain';
import { accountOfMirror, USER_PAGE, type FoundUser, type OpenListApi } from '@keyfold/openlist';
import { accountStream, openlistUserStream, sshKeyRingStream, type StreamLoader } from '@keyfold/projections';

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

/** The streams of an account that its mirror follows, and the link to the mirror. */
export type Mirrored = Readonly<{ accountId: number; account: Account; link: OpenListUser; ring: SshKeyRing }>;

export async function loadMirrored(accountId: number, loader: StreamLoader): Promise<Mirrored> {
  const [{ state: account }, { state: link }, { state: ring }] = await loader.load(
    accountStream(accountId),
    openlistUserStream(accountId),
    sshKeyRingStream(accountId),
  );
  return { accountId, account, link, ring };
}

/** Returns the users that carry the mark of an account, each with that account. */
export const loadMarked = (
  users: readonly FoundUser[],
  loader: StreamLoader,
): Promise<(Mirrored & { user: FoundUser })[]> =>
  Promise.all(
    users.flatMap((user) => {
      const accountId = accountOfMirror(user);
      return accountId === undefined ? [] : [loadMirrored(accountId, loader).then((found) => ({ ...found, user }))];
    }),
  );

/** Whether an account has a user of its own in OpenList. Administrators share one, and the guest is there from the start. */
export const needsMirror = ({ status, role }: Account): boolean =>
  status === 'active' && role !== ROLE_ADMIN && role !== ROLE_GUEST;

/** Returns the user that mirrors the account, whatever its password; undefined if OpenList has none. */
export async function mirrorUserOf(
  { accountId, link }: Pick<Mirrored, 'accountId' | 'link'>,
  api: OpenListApi,
): Promise<FoundUser | undefined> {
  const user = link.userId === 0 ? undefined : await api.user(link.userId);
  return user && accountOfMirror(user) === accountId ? user : undefined;
}
