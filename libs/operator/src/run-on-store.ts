import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExitCode, InvalidConfiguration } from '@keyfold/process';
import type { OperatorRequest } from './commands/index.js';
import { openEmbeddedStore, type EmbeddedStoreOptions, type OperatorStore } from './operator-store.js';
import type { OperatorOutput } from './output/operator-output.js';
import { runCommand } from './run-command.js';
import { runInOwnerProcess } from './socket/operator-socket.client.js';
import { OperatorSocketError } from './socket/operator-socket.js';

/** How long to wait for a process that owns the folder but does not listen, because it starts or stops (milliseconds). */
const OWNER_TIMEOUT = 3_000;
const RETRY_INTERVAL = 100;

/** Runs a request on a store and closes the store. */
export async function runOnStore(
  { ports, close }: OperatorStore,
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    return await runCommand(ports, request, output, signal);
  } finally {
    await close();
  }
}

/**
 * Runs a request on the embedded store. A process that owns the data folder runs it with its own settings. Otherwise this process opens
 * the folder and uses `options`. Throws `InvalidConfiguration`, `OperatorSocketError`, `UnusableFile`.
 */
export async function runOnEmbeddedStore(
  options: EmbeddedStoreOptions,
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { folder } = options;
  requireStore(folder);
  for (const deadline = performance.now() + OWNER_TIMEOUT; ;) {
    const exitCode = await runInOwnerProcess(folder, request, output, signal);
    if (exitCode !== undefined) return exitCode;
    const store = await openUnlessInUse(options);
    if (store) return runOnStore(store, request, output, signal);
    if (performance.now() > deadline) throw silentOwner(folder);
    await sleep(RETRY_INTERVAL, undefined, { signal });
  }
}

/** A command must not create a store, because a wrong folder would then look like an empty store. */
function requireStore(folder: string): void {
  if (existsSync(join(folder, 'keyfold.db'))) return;
  const missing = existsSync(folder) ? `no database in ${folder}` : `no folder ${folder}`;
  throw new InvalidConfiguration([
    `KEYFOLD_DATA_DIR: ${missing}. Name the data folder of the service, or start the service once to create it`,
  ]);
}

async function openUnlessInUse(options: EmbeddedStoreOptions): Promise<OperatorStore | undefined> {
  try {
    return await openEmbeddedStore(options);
  } catch (error) {
    // Compared by name, because the class is loaded only with the store.
    if (error instanceof Error && error.name === 'FolderInUse') return undefined;
    throw error;
  }
}

const silentOwner = (folder: string) =>
  new OperatorSocketError(
    `another process uses the data folder ${folder} but accepts no commands: it is starting or stopping, has an older version, or is another keyfold command. Try again, or stop that process`,
  );
