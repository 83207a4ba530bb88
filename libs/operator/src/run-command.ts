import { DomainError, type DomainErrorCode } from '@keyfold/domain';
import { isRetryable } from '@keyfold/event-store';
import { refusalFor } from '@keyfold/http-envelope';
import {
  exitCodeOf,
  explain,
  FAILED,
  INTERRUPTED,
  InvalidConfiguration,
  WRONG_USAGE,
  type ExitCode,
} from '@keyfold/process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseInput, type OperatorOutput, type OperatorPorts } from './command-run.js';
import { operatorCommand, readSent, type OperatorRequest } from './commands/index.js';
import { openEmbeddedStore, type EmbeddedStoreOptions, type OperatorStore } from './operator-store.js';
import { runInOwnerProcess } from './socket/operator-socket.client.js';
import { OperatorSocketError, type SocketRequest } from './socket/operator-socket.js';

/** How long to wait for a process that owns the folder but does not listen, because it starts or stops (milliseconds). */
const OWNER_TIMEOUT = 3_000;
const RETRY_INTERVAL = 100;

/** A store that runs requests one after the other. It stays open in between. */
export type StoreSession = Readonly<{
  run(request: OperatorRequest, output: OperatorOutput, signal: AbortSignal): Promise<ExitCode>;
  close(): Promise<void>;
}>;

/** Runs a request in a session and closes the session. */
export async function runInSession(
  session: StoreSession,
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    return await session.run(request, output, signal);
  } finally {
    await session.close();
  }
}

/** Returns a session of a store that this process has opened. */
export const sessionOn = ({ ports, close }: OperatorStore): StoreSession => ({
  run: (request, output, signal) => runCommand(ports, request, output, signal),
  close,
});

/**
 * Returns a session of the embedded store. A process that owns the data folder runs the requests with its own settings. Otherwise this
 * process opens the folder at the first request and uses `options`. Throws `InvalidConfiguration`; `run` also throws `OperatorSocketError`, `UnusableFile`.
 */
export function embeddedSession(options: EmbeddedStoreOptions): StoreSession {
  const { folder } = options;
  requireStore(folder);
  let store: OperatorStore | undefined;
  return {
    async run(request, output, signal) {
      for (const deadline = performance.now() + OWNER_TIMEOUT; ;) {
        if (store) return runCommand(store.ports, request, output, signal);
        const exitCode = await runInOwnerProcess(folder, request, output, signal);
        if (exitCode !== undefined) return exitCode;
        store = await openUnlessInUse(options);
        if (store) continue;
        if (performance.now() > deadline) throw silentOwner(folder);
        await sleep(RETRY_INTERVAL, undefined, { signal });
      }
    },
    close: async () => store?.close(),
  };
}

/** A command must not create a store, because a wrong folder would then look like an empty store. */
export function requireStore(folder: string): void {
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
    `another process uses the data folder ${folder} but accepts no commands: it is starting or stopping, runs an older version of Keyfold, or is another keyfold command. Try again, or stop that process`,
  );

/** Runs a request. It may come from another version of `keyfold`, so its name and arguments are validated. */
export async function runCommand(
  ports: OperatorPorts,
  { command: name, args }: SocketRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  const command = operatorCommand(name);
  const values = command && readSent(command.fields, args);
  if (!values) {
    await output.err(`this version of keyfold does not support the command "${name}" with these arguments`);
    return WRONG_USAGE;
  }
  try {
    return await command.run(values, { ports, output, signal });
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    if (error instanceof DomainError) {
      const exitCode = await refuseInput(refusalText(error), { output });
      return isUnusablePassword(error) ? exitCode : FAILED;
    }
    await output.err(isRetryable(error) ? `${error.message}. Try again later` : explain(error));
    return exitCodeOf(error);
  }
}

/** The policy refuses a password like an empty one: as invalid usage. */
const isUnusablePassword = ({ code }: DomainError) => code.startsWith('password-too-');

/** Texts for refusals whose text on the wire is kept for clients and does not help an operator. */
const texts: Partial<Record<DomainErrorCode, string>> = {
  'username-taken': 'another account has this name',
  'account-not-found': 'the account was deleted meanwhile',
  'user-invalid': 'the account was deleted meanwhile',
  'role-unchangeable': 'the role of an account cannot change',
  'admin-undisableable': 'an administrator cannot be disabled',
  'admin-or-guest-undeletable': 'the guest and administrators cannot be deleted',
  'ssh-key-not-found': 'the account has no such SSH key',
  'session-not-found': 'the account has no such session',
  'access-token-not-found': 'the account has no such access token',
  'app-password-not-found': 'the account has no such app password',
  'deleted-setting-not-found': 'there is no such setting',
  'setting-not-deprecated': 'Keyfold knows this setting. Use "keyfold settings reset"',
};

/** compat: the refusals of settings name a hook of the original. */
const HOOK = /^failed to execute hook on (\w+): /;

/** Returns why a command was refused, without a full stop. */
const refusalText = (error: DomainError): string =>
  texts[error.code] ?? refusalFor(error).message.replace(HOOK, '$1: ');
