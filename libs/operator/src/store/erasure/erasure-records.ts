import { contextOf, operator } from '@keyfold/application';
import type { AccountErased, BackupMade, Erasures } from '@keyfold/domain';
import type { EventStore } from '@keyfold/event-store';
import { DONE, type ExitCode } from '@keyfold/process';
import { erasuresStream, foldCommits } from '@keyfold/projections';
import { newOrigin, type CommandRun, type OperatorPorts } from '../../command-run.js';

/** Returns the erased accounts, and the folders with backups, that a store has recorded. Throws `StoreUnavailable`. */
export async function recordedErasures({ store }: Readonly<{ store: EventStore }>): Promise<Erasures> {
  const commits = await store.readStreams([{ stream: erasuresStream.stream, version: 0 }]);
  return foldCommits(erasuresStream.aggregate, commits).state;
}

/** Records that an account is erased; an earlier record of it stays. */
export async function recordErasure(erased: AccountErased['data'], { runner }: OperatorPorts): Promise<void> {
  const origin = { ...newOrigin(), commandId: `erase:${erased.accountId}` };
  await (await runner()).run(erasuresStream, { type: 'RecordErasure', ...erased }, contextOf(operator, origin));
}

/** Records that a folder of a host has a backup, so that the erasure of an account can name the folder. */
export async function recordBackup(
  { path: folder, ...made }: Omit<BackupMade['data'], 'folder'> & Readonly<{ path: string }>,
  { ports }: CommandRun,
): Promise<ExitCode> {
  const command = { type: 'RecordBackup', folder, ...made } as const;
  await (await ports.runner()).run(erasuresStream, command, contextOf(operator, newOrigin()));
  return DONE;
}
