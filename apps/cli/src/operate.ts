import {
  askEmbeddedStore,
  carryOut,
  exitCodeOf,
  explain,
  INTERRUPTED,
  openSharedStore,
  type OperatorRequest,
} from '@keyfold/operation';
import { readCliSettings } from './cli.settings.js';
import { terminal } from './terminal.js';

export { WRONG_USAGE } from '@keyfold/operation';

/** Has a request carried out on the store of the environment's settings; answers the exit status. A failure is told. */
export async function operate(request: OperatorRequest): Promise<number> {
  const interrupted = new AbortController();
  // Once: a second signal ends the process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
  try {
    return await ask(request, interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted) return INTERRUPTED;
    await terminal.err(`keyfold: ${explain(error)}`);
    return exitCodeOf(error);
  }
}

async function ask(request: OperatorRequest, signal: AbortSignal): Promise<number> {
  const settings = readCliSettings(process.env);
  if (settings.KEYFOLD_STORE === 'sqlite')
    return askEmbeddedStore(settings.KEYFOLD_DATA_DIR, request, terminal, signal);
  // A connection that is being made cannot be given up, and nothing else has begun by then.
  const giveUp = () => process.exit(INTERRUPTED);
  signal.addEventListener('abort', giveUp);
  const store = await openSharedStore(settings.KEYFOLD_MONGODB_URI, {
    prepare: request.command === 'migrate',
    leaseMilliseconds: settings.KEYFOLD_LEASE_SECONDS * 1_000,
  });
  signal.removeEventListener('abort', giveUp);
  return carryOut(store, request, terminal, signal);
}
