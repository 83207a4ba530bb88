import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExitCode, InvalidConfiguration } from '@keyfold/process';
import type { EmbeddedStoreOptions, OperatorStore } from './operator-adapters.js';
import { openEmbeddedStore } from './operator-stores.js';
import { OperatorCommands } from './operator-commands.js';
import type { OperatorRequest } from './operator-command-map.js';
import type { OperatorOutput } from './output/operator-output.js';
import { askRunningProcess } from './socket/operator-socket.client.js';
import { OperatorSocketError } from './socket/operator-socket.js';

/** A process that starts or stops has the folder before it listens, and after; how long to wait for it, in milliseconds. */
const PATIENCE = 3_000;
const TRY_INTERVAL = 100;

/**
 * Carries out a request on the embedded store: the process that owns the data folder does it when there is one, else this one takes the
 * folder for as long as it needs. Days and keys count only then: a process that runs goes by its own. Throws `InvalidConfiguration`,
 * `OperatorSocketError`, `UnusableFile`.
 */
export async function askEmbeddedStore(
  options: EmbeddedStoreOptions,
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { folder } = options;
  requireStore(folder);
  for (const deadline = performance.now() + PATIENCE; ;) {
    const answered = await askRunningProcess(folder, request, output, signal);
    if (answered !== undefined) return answered;
    const store = await openUnlessInUse(options);
    if (store) return carryOut(store, request, output, signal);
    if (performance.now() > deadline) throw silentOwner(folder);
    await sleep(TRY_INTERVAL, undefined, { signal });
  }
}

/** Runs a request on a store and closes it. */
export async function carryOut(
  { ports, close }: OperatorStore,
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    return await new OperatorCommands(ports).run(request, output, signal);
  } finally {
    await close();
  }
}

/** A command must not make a store where there is none: a wrong folder would look like an empty one. */
function requireStore(folder: string): void {
  if (existsSync(join(folder, 'keyfold.db'))) return;
  const missing = existsSync(folder) ? `there is no database in ${folder}` : `there is no folder ${folder}`;
  throw new InvalidConfiguration([
    `KEYFOLD_DATA_DIR: ${missing}: say where the data folder of the service is, or start the service once, which makes one`,
  ]);
}

async function openUnlessInUse(options: EmbeddedStoreOptions): Promise<OperatorStore | undefined> {
  try {
    return await openEmbeddedStore(options);
  } catch (error) {
    // By name, because the store is loaded only when it is opened.
    if (error instanceof Error && error.name === 'FolderInUse') return undefined;
    throw error;
  }
}

const silentOwner = (folder: string) =>
  new OperatorSocketError(
    `another process holds the data folder ${folder} and does not listen for operators: it is starting or stopping, it is of an older version, or it is another keyfold command. Try again, or stop it`,
  );
