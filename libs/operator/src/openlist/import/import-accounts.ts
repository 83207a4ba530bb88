import { sealingContext } from '@keyfold/application';
import { DomainError, GUEST_ID, IMPORT_ACTOR, importCause } from '@keyfold/domain';
import { CommandIdReused, Contended } from '@keyfold/event-store';
import { DONE, type ExitCode } from '@keyfold/process';
import { accountStream, sshKeyRingStream } from '@keyfold/projections';
import pLimit from 'p-limit';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { newOrigin, refuseInput, type CommandRun, type OperatorPorts } from '../../command-run.js';
import { importCommandIdOf } from './import-marks.js';
import {
  sentAccount,
  type ImportOutcome,
  type ImportPlan,
  type ImportProblem,
  type ImportReason,
} from './import-plan.js';
import { planAccounts, type Planned } from './plan-accounts.js';

/** Accounts that are imported concurrently, so that they share round trips to the store. */
const CONCURRENT_ACCOUNTS = 64;
/** Accounts that are planned at once, so that requests to a service in this process wait for milliseconds only. */
const PLANNED_ACCOUNTS = 100;

const sentAccounts = z.array(sentAccount);

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

/** An account with a problem that is not in `accept` is not written. `silent`: subscribers hear nothing of it. */
type Mode = Readonly<{ accept: readonly string[]; write: boolean; silent: boolean }>;
type ImportArgs = Mode & Readonly<{ accounts: readonly unknown[] }>;

/** Plans or imports a part of the accounts of OpenList, and writes a line of JSON for each (`ImportResult`). */
export async function importAccounts({ accounts, ...mode }: ImportArgs, run: CommandRun): Promise<ExitCode> {
  const { ports, output, signal } = run;
  const sent = sentAccounts.safeParse(accounts);
  if (!sent.success) return refuseInput('another version of keyfold sent these accounts', run);
  const planned: Planned[] = [];
  for (let at = 0; at < sent.data.length; at += PLANNED_ACCOUNTS) {
    signal.throwIfAborted();
    planned.push(...(await planAccounts(sent.data.slice(at, at + PLANNED_ACCOUNTS), ports)));
    await setImmediate();
  }
  if (mode.write)
    await reserveIds(
      planned.filter(({ plan }) => isToWrite(plan, mode)),
      ports,
    );
  const results = await pLimit(CONCURRENT_ACCOUNTS).map(planned, async (each) => {
    signal.throwIfAborted();
    return mode.write ? importOne(each, mode, ports) : resultOf(each);
  });
  for (const result of results) await output.out(JSON.stringify(result));
  return DONE;
}

/** Moves the counter behind the ids that are kept, so that it does not issue them again. */
async function reserveIds(planned: readonly Planned[], { counter }: OperatorPorts): Promise<void> {
  const highest = Math.max(GUEST_ID, ...planned.map(({ accountId }) => accountId ?? 0));
  await counter.skipTo('account', highest + 1);
}

const isToWrite = ({ outcome, problems }: ImportPlan, { accept }: Mode) =>
  outcome === 'taken' && problems.every(({ reason }) => accept.includes(reason));

async function importOne(planned: Planned, mode: Mode, ports: OperatorPorts): Promise<ImportResult> {
  const { plan, sent } = planned;
  const result = resultOf(planned);
  if (!isToWrite(plan, mode)) return plan.outcome === 'taken' ? { ...result, outcome: 'refused' } : result;
  const refused = (reason: ImportReason): ImportResult => ({ ...result, outcome: 'refused', problems: [{ reason }] });
  // The account has changed in the file since it was planned.
  if (plan.needsPassword && sent.wrappedHash === undefined) return refused('changed-meanwhile');
  const accountId = planned.accountId ?? (await ports.counter.take('account', 1, GUEST_ID + 1));
  try {
    await write(planned, accountId, mode, ports);
    return { ...result, accountId };
  } catch (error) {
    if (error instanceof Contended || error instanceof CommandIdReused) return refused('changed-meanwhile');
    if (!(error instanceof DomainError)) throw error;
    // Somebody else was faster, for example with the name.
    return refused(error.code);
  }
}

/** Writes on the versions that were planned on, so that nobody else's account or change is overwritten. */
async function write(planned: Planned, accountId: number, { silent }: Mode, ports: OperatorPorts): Promise<void> {
  const { sent, wasImported, plan, versions } = planned;
  const runner = await ports.runner();
  const sealer = await ports.sealer();
  const commandId = importCommandIdOf(sent.id);
  // Marks the events for subscribers, too.
  const context = { actor: IMPORT_ACTOR, causation: importCause(commandId, silent), ...newOrigin() };
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
