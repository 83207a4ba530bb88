import { streamRef } from '@keyfold/projections';
import type { CommandRun } from './operator-ports.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';

/** Retries the parked streams. Shows those that stay parked, and fails if there are any. */
export async function retryParked(_: object, { ports, output }: CommandRun): Promise<ExitCode> {
  const before = await ports.readModels.parked();
  await ports.projection.retryParked(streamRef);
  const after = await ports.readModels.parked();
  for (const { stream, error } of after) await output.out(`${stream} stays parked: ${error}`);
  await output.out(`retried ${counted(before.length, 'stream')}, ${after.length} still parked`);
  return after.length === 0 ? DONE : FAILED;
}
