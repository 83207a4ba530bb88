import { isoTime } from '@keyfold/application';
import { voidStreamOf } from '@keyfold/event-store';
import { openlistRelayName, relayName } from '@keyfold/messaging';
import { accountOfMirror, userPages } from '@keyfold/openlist';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { accountStream, openlistUserStream, readersBefore } from '@keyfold/projections';
import { readersBehind } from '@keyfold/wiring';
import { setTimeout as sleep } from 'node:timers/promises';
import { onMirrors, type CommandRun } from '../../command-run.js';
import { counted, printable } from '../../output/printable.js';
import { headOf, lineOf, tableOf } from '../../output/table.js';
import { catchUpIfAlone } from '../migrate.js';
import { eraseAccountData, type ErasedCount } from './erase-account-data.js';
import { recordedErasures, recordErasure } from './erasure-records.js';

const DAY = 86_400_000;
const COMMITS_READ = 1_000;
/** How long to wait for readers that poll once a second, and the interval between two checks, in milliseconds. */
const READERS_TIMEOUT = 3_000;
const CHECK_INTERVAL = 200;
const START_SERVICE =
  'The reader openlist deletes its user in OpenList: start the service with KEYFOLD_OPENLIST_URL, and see "keyfold openlist status". ';

/** Erases a deleted account. If it is interrupted, the next run finishes it. */
export async function eraseAccount(
  { id, json }: Readonly<{ id: number; json: boolean }>,
  run: CommandRun,
): Promise<ExitCode> {
  const { ports, output, signal } = run;
  const refuse = async (reason: string) => {
    await output.err(`${reason}. Nothing was changed`);
    return FAILED;
  };
  const { accounts } = await recordedErasures(ports);
  if (accounts.every(({ accountId }) => accountId !== id)) {
    const [{ state }] = await ports.loader.load(accountStream(id));
    if (state.status === 'absent') return refuse(`no account ever had the id ${id}`);
    if (state.status === 'active')
      return refuse(`account ${id} is not deleted. Run "keyfold account delete ${printable(state.username)}" first`);
  }
  await catchUpIfAlone(run);
  const behind = await readersBehindOf(id, run);
  if (behind.length > 0)
    return refuse(
      `these readers of the feed have not passed the commits of account ${id}: ${behind.map(printable).join(', ')}. ` +
        `${behind.includes(openlistRelayName) ? START_SERVICE : ''}Run the command again later. See "keyfold projections status" and "keyfold feed status"`,
    );
  // The intention is stored before anything is erased, so that it survives everything that follows.
  await recordErasure({ accountId: id, erasedAt: ports.clock.now() }, ports);
  const count = await eraseAccountData(ports, id, signal);
  await report(id, count, json, run);
  return removeFromOpenList(id, run);
}

/** Deletes the users with the mark of the account that a late or lost request has left in OpenList, or says that it may have some. */
async function removeFromOpenList(id: number, run: CommandRun): Promise<ExitCode> {
  const { store } = run.ports;
  const { stream } = openlistUserStream(id);
  const refs = [stream, voidStreamOf(stream)].map((each) => ({ stream: each, version: 0 }));
  if ((await store.readStreams(refs)).length === 0) return DONE;
  let isRemoved = false;
  try {
    return await onMirrors(run, async (mirror) => {
      for await (const page of userPages(mirror.api))
        for (const user of page) if (accountOfMirror(user) === id) await mirror.removeSurplus(id, user.id);
      isRemoved = true;
      return DONE;
    });
  } finally {
    if (!isRemoved)
      await run.output.err(
        `OpenList may still have a user of account ${id}, which is erased here. Run the command again with OpenList, or delete the user there`,
      );
  }
}

/** Waits for the readers of the feed. Returns the names of those that must still read some commit of the account. */
async function readersBehindOf(id: number, { ports, signal }: CommandRun): Promise<string[]> {
  const partition = String(id);
  let position = 0;
  for (let before; ;) {
    const page = await ports.history.readHistory({ partition, ...(before && { before }) }, COMMITS_READ);
    for (const { commit } of page) position = Math.max(position, commit.position);
    before = page.at(-1)?.cursor;
    if (!before) break;
  }
  const last = { slot: ports.feed.slotOf(partition), partition, position };
  for (const deadline = performance.now() + READERS_TIMEOUT; ;) {
    const behind = await readersBefore(readersBehind(ports), last);
    if (behind.length === 0 || performance.now() > deadline) return behind;
    await sleep(CHECK_INTERVAL, undefined, { signal });
  }
}

async function report(id: number, count: ErasedCount, json: boolean, { ports, output }: CommandRun): Promise<void> {
  const { accounts, backups } = await recordedErasures(ports);
  const { erasedAt } = accounts.find(({ accountId }) => accountId === id)!;
  const holding = backups.filter(({ madeAt }) => madeAt <= erasedAt);
  const hasRelay = (await ports.relayLeases.progress(relayName)).length > 0;
  const logUntil = hasRelay ? isoTime(erasedAt + ports.eventLogDays * DAY) : null;
  if (json) {
    const shown = holding.map(({ folder, host, madeAt }) => ({ folder, host, since: isoTime(madeAt) }));
    const erased = isoTime(erasedAt);
    return output.out(JSON.stringify({ id, erased, ...count, backups: shown, eventLogUntil: logUntil }));
  }
  const { streams, commits, documents } = count;
  await output.out(
    `erased account ${id}: ${counted(commits, 'commit')} of ${counted(streams, 'stream')}, ${counted(documents, 'document')}`,
  );
  if (logUntil)
    await output.out(
      `RabbitMQ keeps its events in keyfold.events.log until ${logUntil} or longer: it deletes whole segments, and KEYFOLD_EVENT_LOG_DAYS only counts if "keyfold topology diff" finds no other limit`,
    );
  if (holding.length === 0) return;
  await output.out('These backups contain the account until they are deleted:');
  const rows = holding.map(({ folder, host, madeAt }) => [isoTime(madeAt), host, folder]);
  for (const line of tableOf(['since', 'host', 'folder'], rows)) await output.out(line);
  await output.out(
    'A restore leaves it out only after the next run of "keyfold backup" into the folder, or with "keyfold restore --erasures"',
  );
}

const COLUMNS = [
  { head: 'id', width: 10, isNumeric: true },
  { head: 'erased', width: 24 },
];

/** Lists the erased accounts, for a restore of a backup that was made before. */
export async function listErasures({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const { accounts } = await recordedErasures(ports);
  if (!json) await output.out(headOf(COLUMNS));
  for (const { accountId, erasedAt } of accounts) {
    const erased = isoTime(erasedAt);
    await output.out(json ? JSON.stringify({ id: accountId, erased }) : lineOf([accountId, erased], COLUMNS));
  }
  return DONE;
}
