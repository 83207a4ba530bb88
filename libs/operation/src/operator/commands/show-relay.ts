import { relayName, type ParkedRelay } from '@keyfold/messaging';
import type { CommandRun } from '../operator-ports.js';
import { DONE, FAILED, type ExitCode } from '../../process/exit-code.js';
import { slotStatuses, slotTable, totalOf, type SlotStatus } from './slot-status.js';

/** How far the relay has come in each slot, who works on it, and whose events wait because one cannot be sent; the latter is a failure. */
export async function showRelay({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.store, ports.relayLeases, relayName);
  const parked = await ports.parkedRelays.all();
  if (json) await output.out(JSON.stringify(statusOf(slots, parked)));
  else for (const line of report(slots, parked)) await output.out(line);
  return parked.length === 0 ? DONE : FAILED;
}

function statusOf(slots: readonly SlotStatus[], parked: readonly ParkedRelay[]) {
  const { done: published, ...total } = totalOf(slots);
  return { reader: relayName, total: { ...total, published }, slots, parked };
}

function* report(slots: readonly SlotStatus[], parked: readonly ParkedRelay[]) {
  yield* slotTable(slots);
  yield parked.length === 0 ? 'No account is parked.' : `${parked.length} parked:`;
  for (const { slot, partition, position, error, at } of parked)
    yield `  account ${partition} at position ${position} of slot ${slot} since ${new Date(at).toISOString()}: ${error}`;
}
