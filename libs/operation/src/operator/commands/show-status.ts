import { projectorName, type ParkedStream } from '@keyfold/projections';
import type { CommandRun, OperatorPorts } from '../operator-ports.js';
import { DONE, FAILED, type ExitCode } from '../../process/exit-code.js';
import { tableOf } from './table.js';

type SlotStatus = Readonly<{ slot: number; head: number; checkpoint: number; lag: number; owner: string | null }>;

/** How far the projector has come in each slot, who works on it, and which streams are parked; the latter is a failure. */
export async function showStatus({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await statusOf(ports);
  const parked = await ports.readModels.parked();
  if (json) await output.out(JSON.stringify({ reader: projectorName, total: totalOf(slots), slots, parked }));
  else for (const line of report(slots, parked)) await output.out(line);
  return parked.length === 0 ? DONE : FAILED;
}

async function statusOf({ store, leases }: OperatorPorts): Promise<SlotStatus[]> {
  const progress = new Map((await leases.progress(projectorName)).map((each) => [each.slot, each]));
  return [...(await store.readHeads())].map(([slot, head]) => {
    const { position: checkpoint = 0, owner = null } = progress.get(slot) ?? {};
    return { slot, head, checkpoint, lag: head - checkpoint, owner };
  });
}

const totalOf = (slots: readonly SlotStatus[]) => ({
  commits: slots.reduce((sum, { head }) => sum + head, 0),
  projected: slots.reduce((sum, { checkpoint }) => sum + checkpoint, 0),
  lag: slots.reduce((sum, { lag }) => sum + lag, 0),
  owners: new Set(slots.flatMap(({ owner }) => owner ?? [])).size,
});

function* report(slots: readonly SlotStatus[], parked: readonly ParkedStream[]) {
  const { commits, projected, lag, owners } = totalOf(slots);
  yield* tableOf(
    ['slot', 'head', 'checkpoint', 'lag', 'owner'],
    slots.map(({ slot, head, checkpoint, lag: behind, owner }) => [slot, head, checkpoint, behind, owner ?? 'nobody']),
    ['all', commits, projected, lag, `${owners} ${owners === 1 ? 'process' : 'processes'}`],
  );
  yield parked.length === 0 ? 'No stream is parked.' : `${parked.length} parked:`;
  for (const { stream, version, error, at } of parked)
    yield `  ${stream} at version ${version} since ${new Date(at).toISOString()}: ${error}`;
}
