import { DONE, FAILED, INTERRUPTED, type ExitCode } from '@keyfold/process';
import { firstErrorOf, reasonOf } from '@keyfold/reporting';
import {
  lockFolder,
  openMongoStore,
  openMongoToFill,
  openSqliteLog,
  openSqliteToFill,
  type FillingStore,
  type OpenLog,
} from '@keyfold/wiring';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperatorOutput } from '../../command-run.js';
import { counted } from '../../output/printable.js';
import { requireStore } from '../../run-command.js';
import { SourceLog } from './source-log.js';
import { CopyRefused, sumOf, type Positions } from './source-feed.js';
import { StoreCopy } from './store-copy.js';

/** Both kinds of store, whichever is in use. `sealingKeys`: those of the settings of the command. */
export type StoresSettings = Readonly<{ folder: string; mongoUri: string; sealingKeys?: string | undefined }>;
type StoresRun = Readonly<{ settings: StoresSettings; output: OperatorOutput; signal: AbortSignal }>;

type Given = Readonly<{ target: 'mongodb' | 'sqlite'; finish: boolean }>;

/** A lag that the last step copies in no time, in commits. */
const NEAR = 100;

/** Copies a store to the other kind of store. Without `finish` the source may be in use. */
export async function copyStore({ target, finish }: Given, context: StoresRun): Promise<ExitCode> {
  const { settings, output, signal } = context;
  const direction = target === 'mongodb' ? toMongo(settings) : toSqlite(settings);
  try {
    await using opened = new AsyncDisposableStack();
    if (finish) opened.defer(await direction.lockSource());
    const source = opened.adopt(await SourceLog.open(() => direction.openSource()), (log) => log.close());
    const filling = opened.adopt(await direction.openTarget(), (store) => store.close());
    return await copyBetween({ source, filling, direction, finish }, context);
  } catch (thrown) {
    const error = firstErrorOf(thrown);
    if (signal.aborted) return INTERRUPTED;
    if (!(error instanceof CopyRefused || (error instanceof Error && error.name === 'IntakeRefused'))) throw error;
    await output.err(`${reasonOf(thrown)}. The source was not changed`);
    return FAILED;
  }
}

type Stores = Readonly<{ source: SourceLog; filling: FillingStore; direction: Direction; finish: boolean }>;

async function copyBetween(stores: Stores, context: StoresRun): Promise<ExitCode> {
  const { source, filling, direction, finish } = stores;
  const { settings, output, signal } = context;
  if (finish) await requireNoReaders(source);
  const copy = await StoreCopy.begin(source, filling.adapters, { output, signal });
  try {
    if (!finish) return await copyBeside(copy, direction, context);
    const heads = await source.adapters.feed.readHeads();
    await copy.complete();
    const keys = settings.sealingKeys ?? direction.sealingKeysOfTarget();
    if (keys !== undefined) await copy.requireSealingKeys(keys);
    await requireUnmoved(source, heads);
  } finally {
    await copy.end();
  }
  await filling.finish();
  await output.out(`copied ${counted(copy.size, 'commit')}. The copy is complete`);
  await output.out(direction.nextSettings);
  return DONE;
}

/** Copies until the source is only a few commits ahead, or gets ahead as fast as it is copied. */
async function copyBeside(copy: StoreCopy, direction: Direction, { output, signal }: StoresRun): Promise<ExitCode> {
  let behind = Infinity;
  let before: number;
  do {
    before = behind;
    signal.throwIfAborted();
    await copy.copyToHeads();
    await copy.project();
    behind = await copy.behind();
  } while (behind > NEAR && behind < before);
  await output.out(
    `copied ${counted(copy.size, 'commit')}, ${counted(behind, 'commit')} behind. Next: ${direction.stopSource}, then run this command with --finish`,
  );
  return DONE;
}

async function requireNoReaders({ adapters }: SourceLog): Promise<void> {
  if ((await adapters.relayLeases.readers()).length === 0) return;
  throw new CopyRefused(
    'a worker is running. Stop all gateways and workers, and run the command again after 15 seconds',
  );
}

async function requireUnmoved({ adapters }: SourceLog, heads: Positions): Promise<void> {
  if (sumOf(await adapters.feed.readHeads()) === sumOf(heads)) return;
  throw new CopyRefused('commits arrived meanwhile. Stop all gateways and workers, and run the command again');
}

/** How one kind of store is copied to the other. */
type Direction = Readonly<{
  /** Excludes other processes from the source, where that is possible. Returns the function that lets them in again. */
  lockSource(): Promise<() => void>;
  openSource(): Promise<OpenLog>;
  openTarget(): Promise<FillingStore>;
  /** The sealing keys that processes on the target will use, if they are known. */
  sealingKeysOfTarget(): string | undefined;
  /** Advice: the processes to stop, and the settings afterwards. */
  stopSource: string;
  nextSettings: string;
}>;

const toMongo = ({ folder, mongoUri }: StoresSettings): Direction => ({
  async lockSource() {
    requireStore(folder);
    try {
      return await lockFolder(folder);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'FolderInUse') throw error;
      throw new CopyRefused(`a process has ${folder} open. Stop the service, and run the command again`);
    }
  },
  openSource() {
    requireStore(folder);
    return openSqliteLog(folder);
  },
  openTarget: () => openMongoToFill(mongoUri, 'keyfold store copy mongodb'),
  sealingKeysOfTarget: () => undefined,
  stopSource: 'stop the service',
  nextSettings: `Start gateways and workers with KEYFOLD_STORE=mongodb, and with KEYFOLD_SEALING_KEY and KEYFOLD_TOKEN_SECRET as before: ${secretsOf(folder)}. Do not start the old service again`,
});

const toSqlite = ({ folder, mongoUri }: StoresSettings): Direction => ({
  lockSource: async () => () => undefined,
  openSource: () => openMongoStore(mongoUri, { prepare: false }),
  openTarget: () => openSqliteToFill(folder, 'copy'),
  sealingKeysOfTarget: () => textOf(join(folder, 'sealing-key')),
  stopSource: 'stop all gateways and workers',
  nextSettings: `Start the service with KEYFOLD_STORE=sqlite and KEYFOLD_DATA_DIR=${folder}, and with KEYFOLD_SEALING_KEY and KEYFOLD_TOKEN_SECRET of the gateways, or with their values in the files sealing-key and token-secret of that folder. Do not start gateways and workers again`,
});

const secretsOf = (folder: string) =>
  existsSync(join(folder, 'sealing-key')) || existsSync(join(folder, 'token-secret'))
    ? `the contents of sealing-key and token-secret in ${folder}`
    : 'the settings of the old service';

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : undefined;
}
