import type { CommitFeed, FeedLeases } from '@keyfold/event-store';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';
import type { OperatorOutput } from '../output/operator-output.js';
import { tableOf } from '../output/table.js';

/** How far a reader of the feed has come in a slot, and who works on it. */
export type SlotStatus = Readonly<{
  slot: number;
  head: number;
  checkpoint: number;
  lag: number;
  owner: string | null;
}>;

/** The status of every slot. Throws `StoreUnavailable`. */
export async function slotStatuses(feed: CommitFeed, leases: FeedLeases, reader: string): Promise<SlotStatus[]> {
  const progress = new Map((await leases.progress(reader)).map((each) => [each.slot, each]));
  return [...(await feed.readHeads())].map(([slot, head]) => {
    const { position: checkpoint = 0, owner = null } = progress.get(slot) ?? {};
    return { slot, head, checkpoint, lag: head - checkpoint, owner };
  });
}

/** A reader of the feed, what its work is called, why it does nothing (null: it works, or the reason is unknown), and what is parked. */
type Reader<Parked> = Readonly<{
  name: string;
  done: string;
  problem?: string | null;
  slots: readonly SlotStatus[];
  parked: readonly Parked[];
  nothingParked: string;
  lineOf(parked: Parked): string;
}>;

/** Tells how far a reader has come, as a table or as one JSON object. What is parked is a failure. */
export async function showReader<Parked>(
  { name, done, problem, slots, parked, nothingParked, lineOf }: Reader<Parked>,
  json: boolean,
  output: OperatorOutput,
): Promise<ExitCode> {
  if (json) {
    const { done: count, ...total } = totalOf(slots);
    const why = problem === undefined ? {} : { problem };
    await output.out(JSON.stringify({ reader: name, total: { ...total, [done]: count }, ...why, slots, parked }));
  } else {
    for (const line of slotTable(slots)) await output.out(line);
    if (typeof problem === 'string') await output.out(`Nothing is ${done}: ${problem}`);
    await output.out(parked.length === 0 ? nothingParked : `${parked.length} parked:`);
    for (const each of parked) await output.out(`  ${lineOf(each)}`);
  }
  return parked.length === 0 ? DONE : FAILED;
}

const totalOf = (slots: readonly SlotStatus[]) => ({
  commits: slots.reduce((sum, { head }) => sum + head, 0),
  done: slots.reduce((sum, { checkpoint }) => sum + checkpoint, 0),
  lag: slots.reduce((sum, { lag }) => sum + lag, 0),
  owners: new Set(slots.flatMap(({ owner }) => owner ?? [])).size,
});

function slotTable(slots: readonly SlotStatus[]): Iterable<string> {
  const { commits, done, lag, owners } = totalOf(slots);
  return tableOf(
    ['slot', 'head', 'checkpoint', 'lag', 'owner'],
    slots.map(({ slot, head, checkpoint, lag: behind, owner }) => [slot, head, checkpoint, behind, owner ?? 'nobody']),
    ['all', commits, done, lag, counted(owners, 'process', 'processes')],
  );
}
