import { streamRef } from '@keyfold/projections';
import type { CommandRun } from './operator-ports.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';

/** Tries the parked streams again; what remains is shown with its reason, and is a failure. */
export async function retryParked(_: object, { ports, output }: CommandRun): Promise<ExitCode> {
  const before = await ports.readModels.parked();
  await ports.projection.retryParked(streamRef);
  const after = await ports.readModels.parked();
  for (const { stream, error } of after) await output.out(`${stream} stays parked: ${error}`);
  await output.out(`${before.length} tried, ${after.length} parked`);
  return after.length === 0 ? DONE : FAILED;
}
