import {
  embeddedSession,
  openSharedStore,
  runInSession,
  sessionOn,
  type OperatorOutput,
  type StoreSession,
} from '@keyfold/operator';
import { operatorCommand, type OperatorRequest } from '@keyfold/operator/commands';
import { exitCodeOf, explain, INTERRUPTED, passwordRules, unknownSettings, type ExitCode } from '@keyfold/process';
import { readCliOpenlist, readCliSealingKeys, readCliSettings, requireSessionDays } from './cli.settings.js';
import { terminal } from './terminal.js';
import { exitingOn } from './text-input.js';

/** Runs a command until it ends or the process gets a signal. Reports failures and returns the exit status. */
export async function runInterruptibly(run: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  // Only the first signal; a second one kills the process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);
  for (const warning of unknownSettings(process.env)) await terminal.err(`keyfold: ${warning}`);
  try {
    return await run(interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return INTERRUPTED;
    await terminal.err(`keyfold: ${explain(error)}`);
    return exitCodeOf(error);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  }
}

/** Runs a request on the configured store. Throws what `openConfiguredStore` and the session throw. */
export const runOnConfiguredStore = async (
  request: OperatorRequest,
  signal: AbortSignal,
  output: OperatorOutput = terminal,
): Promise<ExitCode> => runInSession(await openConfiguredStore(request, signal), request, output, signal);

type Send = (request: OperatorRequest, output: OperatorOutput) => Promise<ExitCode>;

/** Runs a command that sends several requests, all of them in one session of the configured store, which the first one opens. */
export async function runWithSession(signal: AbortSignal, run: (send: Send) => Promise<ExitCode>): Promise<ExitCode> {
  let session: StoreSession | undefined;
  try {
    return await run(async (request, output) => {
      session ??= await openConfiguredStore(request, signal);
      return session.run(request, output, signal);
    });
  } finally {
    await session?.close();
  }
}

/** Opens the configured store for requests like this one. Throws `InvalidConfiguration`, and what `openSharedStore` throws. */
async function openConfiguredStore(request: OperatorRequest, signal: AbortSignal): Promise<StoreSession> {
  const settings = readCliSettings(process.env);
  const { KEYFOLD_SESSION_DAYS: sessionDays, KEYFOLD_EVENT_LOG_DAYS: eventLogDays } = settings;
  const openlist = /^(openlist |account erase$)/.test(request.command) ? readCliOpenlist(process.env) : undefined;
  const shared = {
    sessionDays,
    eventLogDays,
    sealingKeys:
      sealingKeysFor(request) ??
      (openlist && readCliSealingKeys(process.env, settings.KEYFOLD_STORE, 'change users in OpenList')),
    passwordRules: passwordRules(settings),
    openlist,
  };
  if (settings.KEYFOLD_STORE === 'sqlite') return embeddedSession({ folder: settings.KEYFOLD_DATA_DIR, ...shared });
  if (request.command === 'compact') requireSessionDays(process.env);
  const options = {
    prepare: request.command === 'migrate',
    leaseMilliseconds: settings.KEYFOLD_LEASE_SECONDS * 1_000,
    ...shared,
  };
  // A pending connection attempt cannot be cancelled, so the process exits.
  return sessionOn(await exitingOn(signal, () => openSharedStore(settings.KEYFOLD_MONGODB_URI, options)));
}

/** Returns the sealing keys of the settings if the request may need them. Throws `InvalidConfiguration` if they are missing. */
export function sealingKeysFor(request: OperatorRequest): string | undefined {
  const task = operatorCommand(request.command)?.sealingTask?.(request.args);
  if (task === undefined) return undefined;
  return readCliSealingKeys(process.env, readCliSettings(process.env).KEYFOLD_STORE, task);
}
