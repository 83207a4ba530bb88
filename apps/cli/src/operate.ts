import {
  brokerCommand,
  type BrokerRequest,
  askEmbeddedStore,
  carryOut,
  openSharedStore,
  type OperatorRequest,
  type ReplaySelection,
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

/** Has a request carried out on the store of the environment's settings; answers the exit status. A failure is told. */
export const operateStore = (request: OperatorRequest) =>
  whileNotInterrupted((signal) =>
    ask(request, signal, request.command === 'secrets reseal' ? sealingKeysTo('reseal secrets') : undefined),
  );

/** Sends events of the store to a queue, or counts them; answers the exit status. A failure is told. */
export const operateReplay = (selection: ReplaySelection, queue: string | undefined) =>
  whileNotInterrupted((signal) => {
    // Whoever carries it out sends to the broker of this command's settings.
    const url = queue === undefined ? '' : readCliBrokerSettings(process.env).KEYFOLD_RABBITMQ_URL;
    const target = queue === undefined ? undefined : { url, queue };
    return ask({ command: 'feed replay', args: { ...selection, target } }, signal);
  });

/** Sets the password that is in the file, else typed or piped in; answers the exit status. A failure is told. */
export const operateSetPassword = (username: string, file: string | undefined) =>
  whileNotInterrupted(async (signal) => {
    // Wrong settings and names are reported before anybody types.
    const sealingKeys = sealingKeysTo('set a password');
    if (isTyped(file)) {
      const found = await ask({ command: 'account exists', args: { username } }, signal);
      if (found !== DONE) return found;
    }
    const given = await readPassword(username, file, signal);
    if ('problem' in given) {
      await terminal.err(`keyfold: ${given.problem}; nothing was changed`);
      return WRONG_USAGE;
    }
    return ask({ command: 'account set-password', args: { username, password: given.password } }, signal, sealingKeys);
  });

/** Carries out what concerns RabbitMQ alone, which takes no store; answers the exit status. A failure is told. */
export const operateBroker = (request: BrokerRequest) =>
  whileNotInterrupted((signal) => {
    // Whatever was done until then is right, and repeating it does no harm.
    signal.addEventListener('abort', () => process.exit(INTERRUPTED));
    return brokerCommand(request, readCliBrokerSettings(process.env), terminal);
  });

const sealingKeysTo = (task: string) =>
  readCliSealingKeys(process.env, readCliSettings(process.env).KEYFOLD_STORE, task);

async function whileNotInterrupted(run: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const interrupted = new AbortController();
  // Once: a second signal ends the process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
  for (const warning of unknownSettings(process.env)) await terminal.err(`keyfold: ${warning}`);
  try {
    return await run(interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted) return INTERRUPTED;
    await terminal.err(`keyfold: ${explain(error)}`);
    return exitCodeOf(error);
  }
}

async function ask(request: OperatorRequest, signal: AbortSignal, sealingKeys?: string): Promise<number> {
  const settings = readCliSettings(process.env);
  const sessionDays = settings.KEYFOLD_SESSION_DAYS;
  const secrets = { sealingKeys, passwordRules: passwordRules(settings) };
  if (settings.KEYFOLD_STORE === 'sqlite')
    return askEmbeddedStore({ folder: settings.KEYFOLD_DATA_DIR, sessionDays, ...secrets }, request, terminal, signal);
  if (request.command === 'compact') requireSessionDays(process.env);
  // A connection that is being made cannot be given up, and nothing else has begun by then.
  const giveUp = () => process.exit(INTERRUPTED);
  signal.addEventListener('abort', giveUp);
  const store = await openSharedStore(settings.KEYFOLD_MONGODB_URI, {
    prepare: request.command === 'migrate',
    leaseMilliseconds: settings.KEYFOLD_LEASE_SECONDS * 1_000,
    sessionDays,
    ...secrets,
  });
  signal.removeEventListener('abort', giveUp);
  return carryOut(store, request, terminal, signal);
}
