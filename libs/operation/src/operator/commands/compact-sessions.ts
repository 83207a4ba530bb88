import { FEED_PAGE } from '@keyfold/event-store';
import { relayName, type ParkedAccounts, type RelayLeases } from '@keyfold/messaging';
import { retentionName, SessionCompaction, type ReadersBehind } from '@keyfold/projections';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { CommandRun, OperatorPorts } from '../operator-ports.js';
import { DONE, type ExitCode } from '../../process/exit-code.js';

/** Compacts the sessions that are due now, where no worker has been yet. Its checkpoints stay: a worker that comes by finds nothing to do. */
export async function compactSessions({ dryRun }: { dryRun: boolean }, run: CommandRun): Promise<ExitCode> {
  const { store, leases, sessionDays } = run.ports;
  const compaction = new SessionCompaction({ ...run.ports, readers: readersBehind(run.ports) }, dryRun);
  const reached = new Map((await leases.progress(retentionName)).map(({ slot, position }) => [slot, position]));
  for (const [slot, head] of await store.readHeads()) {
    await compactSlot(compaction, run, slot, { after: reached.get(slot) ?? 0, head });
  }
  const { sessions, commits, waiting } = compaction.count;
  const done = dryRun ? `would compact ${sessions} sessions` : `compacted ${sessions} sessions of ${commits} commits`;
  await run.output.out(`${done}, whose tokens expired more than ${sessionDays} days ago`);
  if (waiting > 0)
    await run.output.err(
      `${waiting} more wait until everybody has read them: see "keyfold projections status" and "keyfold feed status"`,
    );
  return DONE;
}

/** What nothing may be compacted in front of. */
export const readersBehind = ({
  leases,
  relayLeases,
  parkedRelays,
}: Pick<OperatorPorts, 'leases'> & { relayLeases: RelayLeases; parkedRelays: ParkedAccounts }): ReadersBehind => ({
  leases,
  relay: { name: relayName, leases: relayLeases, parked: parkedRelays },
});

async function compactSlot(
  compaction: SessionCompaction,
  { ports, signal }: CommandRun,
  slot: number,
  { after, head }: { after: number; head: number },
): Promise<void> {
  for (let position = after; position < head;) {
    signal.throwIfAborted();
    const page = await ports.store.readFeed(slot, position, Math.min(FEED_PAGE, head - position));
    const last = page.at(-1);
    // A hole is closed by the readers that follow the feed.
    if (!last) return;
    const { isYoung } = await compaction.compactPage(slot, page, () => !signal.aborted);
    if (isYoung) return;
    position = last.position;
    // The embedded store answers at once, and the process that asks it may serve others.
    await otherWork();
  }
}
