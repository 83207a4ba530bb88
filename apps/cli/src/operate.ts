import { askEmbeddedStore, carryOut, explain, openSharedStore, type OperatorRequest } from '@keyfold/operation';
import { readCliSettings } from './cli.settings.js';
import { terminal } from './terminal.js';

/** sysexits.h: the configuration is wrong. */
const EX_CONFIG = 78;
const FAILED = 1;
const INTERRUPTED = 130;

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
    return error instanceof Error && error.name === 'InvalidConfiguration' ? EX_CONFIG : FAILED;
  }
}

async function ask(request: OperatorRequest, signal: AbortSignal): Promise<number> {
  const settings = readCliSettings(process.env);
  if (settings.KEYFOLD_STORE === 'sqlite')
    return askEmbeddedStore(settings.KEYFOLD_DATA_DIR, request, terminal, signal);
  const store = await openSharedStore(settings.KEYFOLD_MONGODB_URI, {
    prepare: request.command === 'migrate',
    leaseMilliseconds: settings.KEYFOLD_LEASE_SECONDS * 1_000,
  });
  return carryOut(store, request, terminal, signal);
}
