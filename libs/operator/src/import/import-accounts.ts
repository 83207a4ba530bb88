import { sealingContext, type CommandContext } from '@keyfold/application';
import {
  ADMIN_ID,
  accountAggregate,
  DomainError,
  GUEST_ID,
  ROLE_ADMIN,
  ROLE_GUEST,
  sshKeyRingAggregate,
} from '@keyfold/domain';
import { CommandIdReused, Contended, isCompacted, voidStreamOf, type Commit } from '@keyfold/event-store';
import { DONE, type ExitCode } from '@keyfold/process';
import { accountStream, foldCommit, initialOf, sshKeyRingStream } from '@keyfold/projections';
import { isWrapped } from '@keyfold/security';
import pLimit from 'p-limit';
import { z } from 'zod';
import { newOrigin, refuseInput, type CommandRun, type OperatorPorts } from '../command-run.js';
import {
  IMPORT_ACTOR,
  planImport,
  type ImportOutcome,
  type ImportPlan,
  type ImportProblem,
  type ImportReason,
  type SentAccount,
} from './import-plan.js';

/** Accounts that are imported concurrently, so that they share round trips to the store. */
const CONCURRENT_ACCOUNTS = 64;
/** Higher ids are not kept, because all later ids would be higher still. */
const MAX_KEPT_ID = 2 ** 24;

const text = z.string();
const sentAccounts: z.ZodType<readonly SentAccount[]> = z.array(
  z.object({
    id: z.int(),
    username: text,
    hasPassword: z.boolean(),
    passwordMark: text,
    wrappedHash: text.refine(isWrapped).optional(),
    passwordTimestamp: z.int(),
    secret: text,
    basePath: text,
    role: z.int(),
    permission: z.int(),
    disabled: z.boolean(),
    ssoId: text,
    allowLdap: z.boolean(),
    hasPasskeys: z.boolean(),
    keys: z.array(z.object({ title: text, line: text, addedAt: z.number().nullable() })),
  }),
);

/** The result for an account of OpenList. `accountId` is its id here; null if it has none yet. */
export type ImportResult = Readonly<{
  id: number;
  username: string;
  outcome: ImportOutcome;
  accountId: number | null;
  problems: readonly ImportProblem[];
  notes: readonly string[];
  needsPassword: boolean;
  keys: number;
}>;

/** The plan for an account, and the versions of its streams that it was made on. */
type Planned = Readonly<{
  sent: SentAccount;
  accountId: number | null;
  wasImported: boolean;
  plan: ImportPlan;
  versions: Readonly<{ account: number; ring: number }>;
}>;

/**
 * Plans or imports a part of the accounts of OpenList, and writes a line of JSON for each (`ImportResult`). An account with a problem that is
 * not in `accept` is not written.
 */
export async function importAccounts(
  { accounts, accept, write }: Readonly<{ accounts: readonly unknown[]; accept: readonly string[]; write: boolean }>,
  run: CommandRun,
): Promise<ExitCode> {
  const { ports, output, signal } = run;
  const sent = sentAccounts.safeParse(accounts);
  if (!sent.success) return refuseInput('another version of keyfold sent these accounts', run);
  const limit = pLimit(CONCURRENT_ACCOUNTS);
  const planned = await limit.map(sent.data, (account) => planFor(account, ports));
  if (write)
    await reserveIds(
      planned.filter(({ plan }) => isToWrite(plan, accept)),
      ports,
    );
  const results = await limit.map(planned, async (each) => {
    signal.throwIfAborted();
    return write ? importOne(each, accept, ports) : resultOf(each);
  });
  for (const result of results) await output.out(JSON.stringify(result));
  return DONE;
}

const commandIdOf = ({ id }: SentAccount) => `import:openlist:${id}`;

async function planFor(sent: SentAccount, ports: OperatorPorts): Promise<Planned> {
  const { store, names, clock } = ports;
  const earlier = await store.findCommand(commandIdOf(sent));
  if (earlier && isCompacted(earlier)) return erased(sent);
  const id = earlier ? Number(earlier.stream.slice(accountAggregate.streamPrefix.length)) : keptIdOf(sent);
  const found = await commitsOf(id, ports);
  // Any other account under the id is somebody else's.
  const isFree = found.account.length === 0 && found.ring.length === 0 && !found.wasErased;
  const isOwn = earlier !== undefined || isBuiltIn(sent) || isFree;
  const { account: accountCommits, ring: ringCommits } = isOwn ? found : NO_COMMITS;
  const { state: account } = folded(accountAggregate, accountCommits);
  const { state: ring } = folded(sshKeyRingAggregate, ringCommits);
  const { twoFactor, accountId } = account;
  const secret = twoFactor && (await ports.sealer()).open(twoFactor.sealedSecret, sealingContext.twoFactor(accountId));
  const wasImported = earlier !== undefined;
  const name = await names.claim(sent.username);
  const passwordMark = accountCommits.findLast(bringsPassword)?.command.hash;
  const existing = { wasImported, account, accountCommits, passwordMark, secret, ring, ringCommits, name };
  const plan = planImport(sent, existing, clock.now());
  const versions = { account: versionOf(accountCommits), ring: versionOf(ringCommits) };
  return { sent, accountId: isOwn ? (id ?? null) : null, wasImported, plan, versions };
}

/** Refuses an account that was imported and erased, so that an old file does not bring it back. */
function erased(sent: SentAccount): Planned {
  const plan = { outcome: 'refused', problems: [{ reason: 'erased-here' }], notes: [], needsPassword: false } as const;
  return { sent, accountId: null, wasImported: true, plan, versions: { account: 0, ring: 0 } };
}

const versionOf = (commits: readonly Commit[]) => commits.at(-1)?.version ?? 0;

const bringsPassword = ({ actor, events }: Commit) =>
  actor === IMPORT_ACTOR && events.some(({ type }) => type === 'AccountRegistered' || type === 'PasswordChanged');

/** The admin and the guest of the first start are the same accounts in both services. */
const isBuiltIn = ({ id, role }: SentAccount) =>
  (id === ADMIN_ID && role === ROLE_ADMIN) || (id === GUEST_ID && role === ROLE_GUEST);

/** Returns the id that the account should keep, or undefined if it needs another. */
const keptIdOf = (sent: SentAccount) =>
  isBuiltIn(sent) || (sent.id > GUEST_ID && sent.id <= MAX_KEPT_ID) ? sent.id : undefined;

type Commits = Readonly<{ account: readonly Commit[]; ring: readonly Commit[]; wasErased: boolean }>;
const NO_COMMITS: Commits = { account: [], ring: [], wasErased: false };

async function commitsOf(id: number | undefined, { store }: OperatorPorts): Promise<Commits> {
  if (id === undefined) return NO_COMMITS;
  const [account, ring] = [accountStream(id).stream, sshKeyRingStream(id).stream];
  const streams = [account, ring, voidStreamOf(account)];
  const commits = await store.readStreams(streams.map((stream) => ({ stream, version: 0 })));
  const of = (name: string) => commits.filter(({ stream }) => stream === name);
  return { account: of(account), ring: of(ring), wasErased: of(voidStreamOf(account)).length > 0 };
}

const folded = <State>(aggregate: Parameters<typeof foldCommit<State>>[0], commits: readonly Commit[]) =>
  commits.reduce((loaded, commit) => foldCommit(aggregate, loaded, commit), initialOf(aggregate));

/** Moves the counter behind the ids that are kept, so that it does not issue them again. */
async function reserveIds(planned: readonly Planned[], { counter }: OperatorPorts): Promise<void> {
  const highest = Math.max(GUEST_ID, ...planned.map(({ accountId }) => accountId ?? 0));
  const next = await counter.take('account', 0, GUEST_ID + 1);
  if (next <= highest) await counter.take('account', highest - next + 1, GUEST_ID + 1);
}

const isToWrite = ({ outcome, problems }: ImportPlan, accept: readonly string[]) =>
  outcome === 'taken' && problems.every(({ reason }) => accept.includes(reason));

async function importOne(planned: Planned, accept: readonly string[], ports: OperatorPorts): Promise<ImportResult> {
  const { plan, sent } = planned;
  const result = resultOf(planned);
  if (!isToWrite(plan, accept)) return plan.outcome === 'taken' ? { ...result, outcome: 'refused' } : result;
  const refused = (reason: ImportReason): ImportResult => ({ ...result, outcome: 'refused', problems: [{ reason }] });
  // The account has changed in the file since it was planned.
  if (plan.needsPassword && sent.wrappedHash === undefined) return refused('changed-meanwhile');
  const accountId = planned.accountId ?? (await ports.counter.take('account', 1, GUEST_ID + 1));
  try {
    await write(planned, accountId, ports);
    return { ...result, accountId };
  } catch (error) {
    if (error instanceof Contended || error instanceof CommandIdReused) return refused('changed-meanwhile');
    if (!(error instanceof DomainError)) throw error;
    // Somebody else was faster, for example with the name.
    return refused(error.code);
  }
}

/** Writes on the versions that were planned on, so that nobody else's account or change is overwritten. */
async function write(planned: Planned, accountId: number, ports: OperatorPorts): Promise<void> {
  const { sent, wasImported, plan, versions } = planned;
  const runner = await ports.runner();
  const sealer = await ports.sealer();
  const commandId = commandIdOf(sent);
  // Marks the events for subscribers, too.
  const context: CommandContext = { actor: IMPORT_ACTOR, causation: commandId, ...newOrigin() };
  if (plan.account) {
    const { secret, ...changes } = plan.account;
    const password = plan.needsPassword && {
      sealedHash: sealer.seal(sent.wrappedHash!, sealingContext.password(accountId)),
      timestamp: sent.passwordTimestamp,
    };
    const command = {
      ...changes,
      accountId,
      ...(password && { password }),
      sealedSecret: secret && sealer.seal(secret, sealingContext.twoFactor(accountId)),
    };
    const { events } = await runner.run(accountStream(accountId), command, {
      ...context,
      version: versions.account,
      // The first commit tells later runs which account it became, also if it got another id.
      ...(!wasImported && { commandId }),
      // Tells later runs which password it brought.
      ...(password && { requestHash: sent.passwordMark }),
    });
    if (events.length === 0) throw new Contended(`another import has taken the account ${sent.id}`);
  }
  if (plan.keys) {
    const command = { type: 'ImportSshKeys', accountId, keys: plan.keys } as const;
    await runner.run(sshKeyRingStream(accountId), command, { ...context, version: versions.ring });
  }
}

const resultOf = ({ sent, accountId, plan }: Planned): ImportResult => ({
  id: sent.id,
  username: sent.username,
  outcome: plan.outcome,
  accountId: plan.outcome === 'refused' ? null : accountId,
  problems: plan.problems,
  notes: plan.notes,
  needsPassword: plan.needsPassword,
  keys: plan.keys?.length ?? 0,
});
