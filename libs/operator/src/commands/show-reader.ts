import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';
import type { OperatorOutput } from '../output/operator-output.js';
import { tableOf } from '../output/table.js';
import type { SlotStatus } from './slot-status.js';

/** The status of a reader of the feed. */
type ReaderStatus<Parked> = Readonly<{
  name: string;
  /** The work of the reader as a participle, such as `published`. It is also the name of its count in JSON. */
  verb: string;
  /**
   * Why the reader does nothing; null if it works or the reason is unknown. Undefined for a reader that never reports a reason; JSON then
   * lacks the field.
   */
  problem?: string | null;
  slots: readonly SlotStatus[];
  parked: readonly Parked[];
  nothingParked: string;
  lineOf(parked: Parked): string;
}>;

/** Shows the status of a reader as a table or a JSON object. Fails if anything is parked. */
export async function showReader<Parked>(
  { name, verb, problem, slots, parked, nothingParked, lineOf }: ReaderStatus<Parked>,
  json: boolean,
  output: OperatorOutput,
): Promise<ExitCode> {
  if (json) {
    const { done, ...total } = totalOf(slots);
    const why = problem === undefined ? {} : { problem };
    await output.out(JSON.stringify({ reader: name, total: { ...total, [verb]: done }, ...why, slots, parked }));
  } else {
    for (const line of slotTable(slots)) await output.out(line);
    if (typeof problem === 'string') await output.out(`Nothing is ${verb}: ${problem}`);
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
    slots.map(({ slot, head, checkpoint, lag: behind, owner }) => [slot, head, checkpoint, behind, owner ?? 'none']),
    ['all', commits, done, lag, counted(owners, 'process', 'processes')],
  );
}
