import { contextOf, operator } from '@keyfold/application';
import { DONE, type ExitCode } from '@keyfold/process';
import { erasuresStream } from '@keyfold/projections';
import { newOrigin, type CommandRun } from '../../command-run.js';

type Recorded = Readonly<{ path: string; host: string; madeAt: number }>;

/** Records that a folder of a host has a backup, so that the erasure of an account can name the folder. */
export async function recordBackup({ path, host, madeAt }: Recorded, { ports }: CommandRun): Promise<ExitCode> {
  const runner = await ports.runner();
  const command = { type: 'RecordBackup', folder: path, host, madeAt } as const;
  await runner.run(erasuresStream, command, contextOf(operator, newOrigin()));
  return DONE;
}
