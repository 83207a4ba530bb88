import { FEED_PAGE } from '@keyfold/event-store';
import { retentionName, SessionCompaction } from '@keyfold/projections';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { CommandRun } from '../command-run.js';
import { DONE, type ExitCode } from '@keyfold/process';
import { counted } from '../output/printable.js';
import { readersBehind } from '@keyfold/wiring';

/**
 * Compacts the sessions that are due now, from the checkpoints of the retention on. It does not advance the checkpoints; a worker that
 * follows finds nothing to do.
 */
export async function compactSessions({ dryRun }: { dryRun: boolean }, run: CommandRun): Promise<ExitCode> {
  const { feed, leases, sessionDays, clock } = run.ports;
  const parts = { ...run.ports, readers: readersBehind(run.ports), now: () => clock.now() };
  const compaction = new SessionCompaction(parts, dryRun);
  const reached = new Map((await leases.progress(retentionName)).map(({ slot, position }) => [slot, position]));
  for (const [slot, head] of await feed.readHeads()) {
    await compactSlot(compaction, run, slot, { after: reached.get(slot) ?? 0, head });
  }
  const { sessions, commits, waiting } = compaction.count;
  const done = dryRun
    ? `would compact ${counted(sessions, 'session')}`
    : `compacted ${counted(sessions, 'session')} (${counted(commits, 'commit')})`;
  await run.output.out(`${done} whose tokens expired more than ${counted(sessionDays, 'day')} ago`);
  if (waiting > 0)
    await run.output.err(
      `${counted(waiting, 'more session')} must wait for readers of the feed. See "keyfold projections status" and "keyfold feed status"`,
    );
  return DONE;
}

async function compactSlot(
  compaction: SessionCompaction,
  { ports, signal }: CommandRun,
  slot: number,
  { after, head }: { after: number; head: number },
): Promise<void> {
  for (let position = after; position < head;) {
    signal.throwIfAborted();
    const page = await ports.feed.readFeed(slot, position, Math.min(FEED_PAGE, head - position));
    const last = page.at(-1);
    // The readers that follow the feed fill holes.
    if (!last) return;
    const { isYoung } = await compaction.compactPage(slot, page, () => !signal.aborted);
    if (isYoung) return;
    position = last.position;
    // The embedded store never waits, so a process that also serves requests must yield here.
    await yieldToEventLoop();
  }
}
