import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { readModels as allModels, Rebuild, streamRef } from '@keyfold/projections';
import type { CommandRun } from '../command-run.js';
import { counted } from '../output/printable.js';

/** Rebuilds the documents of one read model or of all. */
export async function rebuildModels(
  { model }: { model?: string | undefined },
  { ports, output, signal }: CommandRun,
): Promise<ExitCode> {
  const models = model === undefined ? allModels : allModels.filter(({ name }) => name === model);
  if (models.length === 0) {
    await output.err(`unknown read model "${model}". Known models: ${allModels.map(({ name }) => name).join(', ')}`);
    return WRONG_USAGE;
  }
  const { events, documents, parked, removed } = await new Rebuild(
    ports.store,
    ports.feed,
    ports.readModels,
    models,
    () => ports.clock.now(),
  ).run((problem) => output.err(problem), signal);
  await output.out(`rebuilt ${counted(documents, 'document')} from ${counted(events, 'event')}, removed ${removed}`);
  if (parked === 0) return DONE;
  await output.out(`parked ${counted(parked, 'stream')} that cannot be folded. See "keyfold projections status"`);
  return FAILED;
}

/** Retries the parked streams. Shows those that stay parked, and fails if there are any. */
export async function retryParked(_: object, { ports, output }: CommandRun): Promise<ExitCode> {
  const before = await ports.readModels.parked();
  await ports.projection.retryParked(streamRef);
  const after = await ports.readModels.parked();
  for (const { stream, error } of after) await output.out(`${stream} stays parked: ${error}`);
  await output.out(`retried ${counted(before.length, 'stream')}, ${after.length} still parked`);
  return after.length === 0 ? DONE : FAILED;
}
