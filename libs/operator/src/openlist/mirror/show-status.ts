import { isoTime } from '@keyfold/application';
import { slotStatuses, totalOfSlots } from '@keyfold/event-store';
import { openlistRelayName, type ParkedAccount } from '@keyfold/messaging';
import { accountOfMirror, userPages, type OpenListMirror } from '@keyfold/openlist';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import pLimit from 'p-limit';
import { accountPages } from '../../accounts/show-accounts.js';
import { onMirrors, type CommandRun } from '../../command-run.js';
import { fieldsOf } from '../../output/table.js';
import { catchUpIfAlone } from '../../store/migrate.js';
import { hasCurrentMirror } from './compare-mirror.js';
import { needsMirror } from './mirrored-users.js';

/** Parked accounts that are compared with their mirrors concurrently. */
const CONCURRENT_ACCOUNTS = 8;

/** Shows whether OpenList answers, how many accounts have a mirror, and what waits. Fails if an account is parked. */
export const showStatus = ({ json }: { json: boolean }, run: CommandRun): Promise<ExitCode> =>
  onMirrors(run, async (mirror) => {
    const { ports, output } = run;
    await catchUpIfAlone(run);
    const version = await mirror.api.version();
    const { accounts, ...users } = await countUsers(mirror, run);
    const { lag } = totalOfSlots(await slotStatuses(ports.feed, ports.leases, openlistRelayName));
    const parked = (await stillParked(accounts, mirror, run)).map(({ partition, error, at }) => {
      return { accountId: Number(partition), since: isoTime(at), reason: error };
    });
    if (json) await output.out(JSON.stringify({ version, ...users, lag, parked }));
    else {
      const fields = {
        version,
        'accounts with a mirror': users.mirrored,
        'accounts without': users.missing,
        'users that Keyfold does not know': users.unknown,
        'surplus users with the mark of an account': users.surplus,
        'commits to carry over': lag,
        'parked accounts': parked.length,
      };
      for (const line of fieldsOf('OpenList', fields)) await output.out(line);
      for (const { accountId, since, reason } of parked)
        await output.out(`  account ${accountId} since ${since}: ${reason}`);
    }
    return parked.length === 0 ? DONE : FAILED;
  });

/** Counts the accounts with and without a user of their mark, further users with a mark, and the general users without one. */
async function countUsers({ api }: OpenListMirror, { ports, signal }: CommandRun) {
  const accounts = new Set<number>();
  let marked = 0;
  let unknown = 0;
  for await (const page of userPages(api)) {
    signal.throwIfAborted();
    for (const user of page) {
      const accountId = accountOfMirror(user);
      if (accountId === undefined) unknown += user.role === 0 ? 1 : 0;
      else {
        accounts.add(accountId);
        marked++;
      }
    }
  }
  let mirrored = 0;
  let missing = 0;
  for await (const page of accountPages(ports.readModels)) {
    signal.throwIfAborted();
    for (const { accountId } of page.filter(needsMirror)) {
      if (accounts.has(accountId)) mirrored++;
      else missing++;
    }
  }
  return { mirrored, missing, unknown, surplus: marked - mirrored, accounts };
}

/** Returns the parked accounts without those that have a current mirror by now, which the next retry ends. */
async function stillParked(
  marked: ReadonlySet<number>,
  { api }: OpenListMirror,
  { ports, signal }: CommandRun,
): Promise<ParkedAccount[]> {
  const parts = { api, ports, sealer: await ports.sealer() };
  const waiting = await pLimit(CONCURRENT_ACCOUNTS).map(await ports.parkedMirrors.all(), async (parked) => {
    signal.throwIfAborted();
    const accountId = Number(parked.partition);
    return marked.has(accountId) && (await hasCurrentMirror(accountId, parts)) ? [] : [parked];
  });
  return waiting.flat();
}
