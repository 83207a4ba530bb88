import { relayName, type ParkedRelay } from '@keyfold/messaging';
import type { ExitCode } from '../../process/exit-code.js';
import type { CommandRun } from '../operator-ports.js';
import { showReader, slotStatuses } from './slot-status.js';

/** How far the relay has come in each slot, who works on it, and whose events wait because one cannot be sent; the latter is a failure. */
export async function showRelay({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.store, ports.relayLeases, relayName);
  const reader = {
    name: relayName,
    done: 'published',
    slots,
    parked: await ports.parkedRelays.all(),
    nothingParked: 'No account is parked.',
    lineOf: ({ slot, partition, position, error, at }: ParkedRelay) =>
      `account ${partition} at position ${position} of slot ${slot} since ${new Date(at).toISOString()}: ${error}`,
  };
  return showReader(reader, json, output);
}
