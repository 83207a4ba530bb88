import { accountOfMirror, linkedUser, userPages, type FoundUser, type OpenListMirror } from '@keyfold/openlist';
import { accountStream } from '@keyfold/projections';
import { isCompacted } from '@keyfold/event-store';
import type { OperatorPorts } from '../../command-run.js';
import { importCommandIdOf, importedIdIn, openlistIdOf } from '../import/import-marks.js';
import { loadMirrored, needsMirror } from './mirrored-users.js';

/** A user of OpenList that can become the mirror of an account. `replaces` is the user that mirrors the account so far; null if none does. */
export type Adoption = Readonly<{
  userId: number;
  name: string;
  accountId: number;
  username: string;
  replaces: number | null;
}>;

type Parts = Pick<OperatorPorts, 'store' | 'loader' | 'names'>;

/** Yields a plan for each user without a mark that belongs to an account. `names` are those of the users; missing means all. */
export async function* planAdoptions(
  { api }: OpenListMirror,
  ports: Parts,
  names?: ReadonlySet<string>,
): AsyncGenerator<Adoption> {
  const isWanted = (user: FoundUser) =>
    user.role === 0 && accountOfMirror(user) === undefined && (names?.has(user.username) ?? true);
  for await (const page of userPages(api)) {
    const users = page.filter(isWanted);
    const imported = await importedAccounts(users, ports);
    for (const user of users) {
      const adoption = await planAdoption(user, imported.get(user.id), api, ports);
      if (adoption) yield adoption;
    }
  }
}

/** Returns the ids of the accounts that an import made of these users. They stay known after renames on either side. */
async function importedAccounts(users: readonly FoundUser[], { store }: Parts): Promise<ReadonlyMap<number, number>> {
  const commits = await store.findCommands(users.map(({ id }) => importCommandIdOf(id)));
  return new Map(
    commits.filter((commit) => !isCompacted(commit)).map((commit) => [importedIdIn(commit)!, Number(commit.partition)]),
  );
}

async function planAdoption(
  user: FoundUser,
  importedAs: number | undefined,
  api: OpenListMirror['api'],
  ports: Parts,
): Promise<Adoption | undefined> {
  const accountId = importedAs ?? (await ports.names.accountOf(user.username))?.accountId;
  if (accountId === undefined) return undefined;
  const mirrored = await loadMirrored(accountId, ports.loader);
  if (!needsMirror(mirrored.account)) return undefined;
  const mirror = await linkedUser(api, mirrored.link);
  // A name can be that of somebody else, who must not replace a mirror or the user that was imported.
  if (importedAs === undefined && (mirror || (await hasImportedUser(accountId, api, ports)))) return undefined;
  const { username } = mirrored.account;
  return { userId: user.id, name: user.username, accountId, username, replaces: mirror?.id ?? null };
}

/** Returns whether the account was imported from a user that OpenList still has. */
async function hasImportedUser(accountId: number, api: OpenListMirror['api'], { store }: Parts): Promise<boolean> {
  const { stream } = accountStream(accountId);
  const id = openlistIdOf(await store.readStreams([{ stream, version: 0 }]));
  return id !== undefined && id > 0 && (await api.user(id)) !== undefined;
}
