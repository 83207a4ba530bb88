import { sealingContext } from '@keyfold/application';
import {
  ADMIN_ID,
  accountAggregate,
  GUEST_ID,
  ROLE_ADMIN,
  ROLE_GUEST,
  sshKeyRingAggregate,
  type Account,
  type NameClaim,
} from '@keyfold/domain';
import { isCompacted, voidStreamOf, type Commit } from '@keyfold/event-store';
import { accountStream, foldCommits, sshKeyRingStream } from '@keyfold/projections';
import type { OperatorPorts } from '../../command-run.js';
import {
  exportMarkOf,
  importCommandIdOf,
  importedPasswordMark,
  openlistIdOf,
  passwordMarkOf,
  unchangedPasswordMark,
  untilLastImport,
} from './import-marks.js';
import { planImport, secretOf, type ImportPlan, type SentAccount } from './import-plan.js';

/** Higher ids are not kept, because all later ids would be higher still. */
const MAX_KEPT_ID = 2 ** 24;
/** Passwords without a salt have the same mark. */
const NO_SALT = passwordMarkOf('');

/** The plan for an account, and the versions of its streams that it was made on. `accountId` is its id here; null if it needs a new one. */
export type Planned = Readonly<{
  sent: SentAccount;
  accountId: number | null;
  wasImported: boolean;
  plan: ImportPlan;
  versions: Readonly<{ account: number; ring: number }>;
}>;

/** Plans the import of some accounts. Takes few round trips for all of them together. */
export async function planAccounts(accounts: readonly SentAccount[], ports: OperatorPorts): Promise<Planned[]> {
  const { store, clock } = ports;
  const earlier = await store.findCommands(accounts.map(({ id }) => importCommandIdOf(id)));
  const erased = new Set(earlier.filter(isCompacted).map(({ command }) => command.id));
  const importedAs = new Map(earlier.map(({ command, stream }) => [command.id, accountIdOf(stream)]));
  const importedIdOf = (sent: SentAccount) => importedAs.get(importCommandIdOf(sent.id)) ?? keptIdOf(sent);
  const ids = new Set(accounts.flatMap((sent) => [importedIdOf(sent) ?? sent.id, sent.id]));
  const streams = [...ids].flatMap(streamsOf);
  const stored = Map.groupBy(
    await store.readStreams(streams.map((stream) => ({ stream, version: 0 }))),
    ({ stream }) => stream,
  );
  const withIdOfHere = new Set(
    accounts.filter((sent) => hasIdOfHere(sent, stored.get(accountStream(sent.id).stream) ?? [])),
  );
  const found = accounts.map((sent) => {
    const wasImported = withIdOfHere.has(sent) || importedAs.has(importCommandIdOf(sent.id));
    const id = withIdOfHere.has(sent) ? sent.id : importedIdOf(sent);
    const [account = [], ring = [], left = []] =
      id === undefined ? [] : streamsOf(id).map((stream) => stored.get(stream));
    // Any other account under the id is somebody else's, also an admin or a guest that was another account in OpenList.
    const isOwn =
      wasImported ||
      (builtInIdOf(sent) !== undefined && openlistIdOf(account) === undefined) ||
      (account.length === 0 && ring.length === 0 && left.length === 0);
    const commits = isOwn ? { account, ring } : { account: [], ring: [] };
    return {
      sent,
      wasImported,
      accountId: isOwn ? (id ?? null) : null,
      commits,
      account: foldCommits(accountAggregate, commits.account).state,
    };
  });
  const names = await namesFor(found, ports);
  return Promise.all(
    found.map(async ({ sent, wasImported, accountId, commits, account }, index) => {
      if (!withIdOfHere.has(sent) && erased.has(importCommandIdOf(sent.id))) return refusedAsErased(sent);
      const secretIn = async ({ twoFactor, accountId: id }: Account) =>
        twoFactor && (await ports.sealer()).open(twoFactor.sealedSecret, sealingContext.twoFactor(id));
      const secret = await secretIn(account);
      const before = untilLastImport(commits.account);
      const imported = foldCommits(accountAggregate, before).state;
      // The sealing key of an earlier secret may be gone. It then counts as that of the file.
      const secretThen = await secretIn(imported).catch(() => secretOf(sent) ?? '');
      const existing = {
        wasImported,
        account,
        atImport: before.length === 0 ? undefined : { account: imported, secret: secretThen },
        accountCommits: commits.account,
        passwordMark: isExported(sent, commits.account) ? sent.passwordMark : importedPasswordMark(commits.account),
        secret,
        ring: foldCommits(sshKeyRingAggregate, commits.ring).state,
        ringCommits: commits.ring,
        name: names[index]!,
      };
      const versions = { account: versionOf(commits.account), ring: versionOf(commits.ring) };
      return { sent, accountId, wasImported, plan: planImport(sent, existing, clock.now()), versions };
    }),
  );
}

/** Refuses an account that was imported and erased, so that an old file does not bring it back. */
function refusedAsErased(sent: SentAccount): Planned {
  const plan = { outcome: 'refused', problems: [{ reason: 'erased-here' }], notes: [], needsPassword: false } as const;
  return { sent, accountId: null, wasImported: true, plan, versions: { account: 0, ring: 0 } };
}

/**
 * Returns whether the id of an account in the file is its id here, as in a file of an export, of which OpenList may have changed the name or
 * the password since. In other files the id of a namesake can be that of somebody else. `accountCommits`: those of the id here.
 */
function hasIdOfHere(sent: SentAccount, accountCommits: readonly Commit[]): boolean {
  const hasPassword = sent.passwordMark !== NO_SALT && unchangedPasswordMark(accountCommits) === sent.passwordMark;
  const isNamesake = () => foldCommits(accountAggregate, accountCommits).state.username === sent.username;
  const wasImported = openlistIdOf(accountCommits) !== undefined;
  return isExported(sent, accountCommits) || hasPassword || (sent.ofExport && wasImported && isNamesake());
}

/** Returns whether an export gave the account a new password, which was not changed since, there or here. */
const isExported = ({ exportMark }: SentAccount, accountCommits: readonly Commit[]) =>
  exportMark !== undefined && exportMark === exportMarkOf(accountCommits);

/** Returns the claims of the wanted names. An account that has its name already needs no look-up. */
async function namesFor(
  found: readonly Readonly<{ sent: SentAccount; account: Account }>[],
  { names }: OperatorPorts,
): Promise<NameClaim[]> {
  const isNew = ({ sent, account }: (typeof found)[number]) =>
    account.status !== 'active' || account.username !== sent.username;
  const claims = (await names.claims(found.filter(isNew).map(({ sent }) => sent.username))).values();
  return found.map((each) => {
    const { username, nameHash } = each.account;
    return isNew(each) ? claims.next().value! : { username, nameHash, turn: 'taken' };
  });
}

const accountIdOf = (stream: string) => Number(stream.slice(accountAggregate.streamPrefix.length));

const versionOf = (commits: readonly Commit[]) => commits.at(-1)?.version ?? 0;

/** The admin and the guest of the first start are the same accounts in both services, whatever their ids there. */
function builtInIdOf({ role }: SentAccount): number | undefined {
  if (role === ROLE_ADMIN) return ADMIN_ID;
  return role === ROLE_GUEST ? GUEST_ID : undefined;
}

/** Returns the id that the account should have, or undefined if it needs a new one. */
const keptIdOf = (sent: SentAccount) =>
  builtInIdOf(sent) ?? (sent.id > GUEST_ID && sent.id <= MAX_KEPT_ID ? sent.id : undefined);

/** Returns the streams of an account: of itself, of its keys, and the one that an erasure leaves. */
const streamsOf = (id: number) => {
  const { stream } = accountStream(id);
  return [stream, sshKeyRingStream(id).stream, voidStreamOf(stream)];
};
