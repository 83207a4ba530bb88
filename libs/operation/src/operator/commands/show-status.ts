import { projectorName, type ParkedStream } from '@keyfold/projections';
import type { CommandRun } from '../operator-ports.js';
import { DONE, FAILED, type ExitCode } from '../../process/exit-code.js';
import { slotStatuses, slotTable, totalOf, type SlotStatus } from './slot-status.js';

/** How far the projector has come in each slot, who works on it, and which streams are parked; the latter is a failure. */
export async function showStatus({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.store, ports.leases, projectorName);
  const parked = await ports.readModels.parked();
  if (json) await output.out(JSON.stringify(statusOf(slots, parked)));
  else for (const line of report(slots, parked)) await output.out(line);
  return parked.length === 0 ? DONE : FAILED;
}

function statusOf(slots: readonly SlotStatus[], parked: readonly ParkedStream[]) {
  const { done: projected, ...total } = totalOf(slots);
  return { reader: projectorName, total: { ...total, projected }, slots, parked };
}

function* report(slots: readonly SlotStatus[], parked: readonly ParkedStream[]) {
  yield* slotTable(slots);
  yield parked.length === 0 ? 'No stream is parked.' : `${parked.length} parked:`;
  for (const { stream, version, error, at } of parked)
    yield `  ${stream} at version ${version} since ${new Date(at).toISOString()}: ${error}`;
}
