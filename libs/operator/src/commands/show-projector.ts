import { isoTime } from '@keyfold/application';
import { projectorName, type ParkedStream } from '@keyfold/projections';
import type { ExitCode } from '@keyfold/process';
import type { CommandRun } from './operator-ports.js';
import { showReader } from './show-reader.js';
import { slotStatuses } from './slot-status.js';

/** Shows the progress and owner of each slot of the projector, and the parked streams. Fails if there are any. */
export async function showProjector({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.feed, ports.leases, projectorName);
  const reader = {
    name: projectorName,
    verb: 'projected',
    slots,
    parked: await ports.readModels.parked(),
    nothingParked: 'No stream is parked.',
    lineOf: ({ stream, version, error, at }: ParkedStream) =>
      `${stream} at version ${version} since ${isoTime(at)}: ${error}`,
  };
  return showReader(reader, json, output);
}
