import {
  runBrokerCommand,
  type BrokerRequest,
  runOnEmbeddedStore,
  runOnStore,
  openSharedStore,
  type OperatorRequest,
  type ReplayFilterArgs,
} from '@keyfold/operator';
import {
  DONE,
  exitCodeOf,
  explain,
  INTERRUPTED,
  passwordRules,
  unknownSettings,
  WRONG_USAGE,
  type ExitCode,
} from '@keyfold/process';
import { readCliBrokerSettings, readCliSealingKeys, readCliSettings, requireSessionDays } from './cli.settings.js';
import { isTyped, readPassword } from './password.js';
import { terminal } from './terminal.js';

export { WRONG_USAGE } from '@keyfold/process';

/** Runs a request on the configured store. Reports failures and returns the exit status. */
export const executeStoreCommand = (request: OperatorRequest) =>
  runInterruptibly((signal) =>
    runOnConfiguredStore(
      request,
      signal,
      request.command === 'secrets reseal' ? sealingKeysTo('reseal secrets') : undefined,
    ),
  );

/** Sends events of the store to a queue, or only counts them without one. Reports failures and returns the exit status. */
export const executeReplay = (selection: ReplayFilterArgs, queue: string | undefined) =>
  runInterruptibly((signal) => {
    // A running process also sends to the broker of this command's settings, not to its own.
    const url = queue === undefined ? '' : readCliBrokerSettings(process.env).KEYFOLD_RABBITMQ_URL;
    const target = queue === undefined ? undefined : { url, queue };
    return runOnConfiguredStore({ command: 'feed replay', args: { ...selection, target } }, signal);
  });

/** Sets a password from a file, the terminal or standard input. Reports failures and returns the exit status. */
export const executeSetPassword = (username: string, file: string | undefined) =>
  runInterruptibly(async (signal) => {
    // Report invalid settings and names before the password prompt.
    const sealingKeys = sealingKeysTo('set a password');
    if (isTyped(file)) {
      const exitCode = await runOnConfiguredStore({ command: 'account exists', args: { username } }, signal);
      if (exitCode !== DONE) return exitCode;
    }
    const input = await readPassword(username, file, signal);
    if ('problem' in input) {
      await terminal.err(`keyfold: ${input.problem}. Nothing was changed`);
      return WRONG_USAGE;
    }
    return runOnConfiguredStore(
      { command: 'account set-password', args: { username, password: input.password } },
      signal,
      sealingKeys,
    );
  });

/** Runs a command on RabbitMQ, which needs no store. Reports failures and returns the exit status. */
export const executeBrokerCommand = (request: BrokerRequest) =>
  runInterruptibly((signal) => {
    // These commands can be interrupted at any point and repeated.
    signal.addEventListener('abort', () => process.exit(INTERRUPTED));
    return runBrokerCommand(request, readCliBrokerSettings(process.env), terminal);
  });

const sealingKeysTo = (task: string) =>
  readCliSealingKeys(process.env, readCliSettings(process.env).KEYFOLD_STORE, task);

async function runInterruptibly(run: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const interruption = new AbortController();
  // Only the first signal; a second one kills the process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  for (const warning of unknownSettings(process.env)) await terminal.err(`keyfold: ${warning}`);
  try {
    return await run(interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return INTERRUPTED;
    await terminal.err(`keyfold: ${explain(error)}`);
    return exitCodeOf(error);
  }
}

async function runOnConfiguredStore(
  request: OperatorRequest,
  signal: AbortSignal,
  sealingKeys?: string,
): Promise<number> {
  const settings = readCliSettings(process.env);
  const sessionDays = settings.KEYFOLD_SESSION_DAYS;
  const secrets = { sealingKeys, passwordRules: passwordRules(settings) };
  if (settings.KEYFOLD_STORE === 'sqlite')
    return runOnEmbeddedStore(
      { folder: settings.KEYFOLD_DATA_DIR, sessionDays, ...secrets },
      request,
      terminal,
      signal,
    );
  if (request.command === 'compact') requireSessionDays(process.env);
  // A pending connection attempt cannot be cancelled, so the process exits. Nothing has been changed by then.
  const exit = () => process.exit(INTERRUPTED);
  signal.addEventListener('abort', exit);
  const store = await openSharedStore(settings.KEYFOLD_MONGODB_URI, {
    prepare: request.command === 'migrate',
    leaseMilliseconds: settings.KEYFOLD_LEASE_SECONDS * 1_000,
    sessionDays,
    ...secrets,
  });
  signal.removeEventListener('abort', exit);
  return runOnStore(store, request, terminal, signal);
}
