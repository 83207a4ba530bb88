import { projectorName, type ParkedStream } from '@keyfold/projections';
import type { ExitCode } from '@keyfold/process';
import type { CommandRun } from './operator-ports.js';
import { showReader, slotStatuses } from './slot-status.js';

/** How far the projector has come in each slot, who works on it, and which streams are parked; the latter is a failure. */
export async function showStatus({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.feed, ports.leases, projectorName);
  const reader = {
    name: projectorName,
    done: 'projected',
    slots,
    parked: await ports.readModels.parked(),
    nothingParked: 'No stream is parked.',
    lineOf: ({ stream, version, error, at }: ParkedStream) =>
      `${stream} at version ${version} since ${new Date(at).toISOString()}: ${error}`,
  };
  return showReader(reader, json, output);
}
