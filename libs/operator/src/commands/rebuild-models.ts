import { readModels as allModels, Rebuild } from '@keyfold/projections';
import type { CommandRun } from './operator-ports.js';
import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';

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
