import { ROLE_ADMIN, ROLE_GUEST, type Account, type OpenListUser, type SshKeyRing } from '@keyfold/domain';
import { accountOfMirror, type FoundUser } from '@keyfold/openlist';
import { accountStream, openlistUserStream, sshKeyRingStream, type StreamLoader } from '@keyfold/projections';

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
