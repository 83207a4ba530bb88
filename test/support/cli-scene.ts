import { openEmbeddedStore, openSharedStore } from '@keyfold/operator';
import { accountStream } from '@keyfold/projections';
import { ApiClient } from './api-client.js';
import { keyfoldReading, type CliResult } from './cli.js';
import type { ProcessEnv } from './keyfold-process.js';
import { freshDatabaseUri } from './mongo/mongo-database.js';
import { SCALED_SETTINGS } from './scaled-process.js';
import { ScaledService } from './scaled-service.js';
import { StandaloneProcess } from './standalone-process.js';

/** The command `keyfold` and the service that it administers. */
export interface CliScene {
  /** Starts the service if necessary and returns a client. */
  api(): Promise<ApiClient>;
  /** Runs the command with this standard input and additional settings. */
  run(input: string, args: readonly string[], env?: ProcessEnv): Promise<CliResult>;
  /** Locks the second factor like a hundred wrong codes, for which the throttle would take a day. */
  lockTwoFactor(accountId: number): Promise<void>;
  /** Returns the output of the service. */
  output(): string;
  dispose(): Promise<void>;
}

type Opened = Awaited<ReturnType<typeof openSharedStore>>;

async function lockOn({ ports, close }: Opened, accountId: number): Promise<void> {
  const context = { actor: 'test', correlation: 'test' };
  await (await ports.runner()).run(accountStream(accountId), { type: 'LockTwoFactor', failures: 100 }, context);
  await close();
}

async function sqlite({ beside }: { beside: boolean }): Promise<CliScene> {
  const app = await StandaloneProcess.start({ KEYFOLD_THREADS: '2' });
  const stopped = async () => app.isRunning && (await app.stop());
  const started = async () => {
    if (!app.isRunning) await app.restart();
    return new ApiClient(app.baseUrl);
  };
  return {
    api: started,
    async run(input, args, env) {
      await (beside ? started() : stopped());
      return keyfoldReading(input, { KEYFOLD_DATA_DIR: app.dataDir, ...env }, ...args);
    },
    async lockTwoFactor(accountId) {
      await stopped();
      await lockOn(await openEmbeddedStore({ folder: app.dataDir, sessionDays: 90 }), accountId);
    },
    output: () => app.output(),
    dispose: () => app.dispose(),
  };
}

async function mongodb(): Promise<CliScene> {
  const uri = freshDatabaseUri();
  const service = await ScaledService.start(uri, { gateways: 1, workers: 1 });
  const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
  return {
    api: async () => service.api(),
    run: (input, args, env) =>
      keyfoldReading(input, { KEYFOLD_MONGODB_URI: uri, KEYFOLD_SEALING_KEY, ...env }, ...args),
    lockTwoFactor: async (accountId) =>
      lockOn(await openSharedStore(uri, { prepare: false, leaseMilliseconds: 10_000, sessionDays: 90 }), accountId),
    output: () => service.output(),
    dispose: () => service.dispose(),
  };
}

/** Each place where the command can run: a title, a function that opens it, and the fate of a sealing key of the command's own. */
export const cliScenes = [
  ['beside the process that owns the data folder', () => sqlite({ beside: true }), 'ignored'],
  ['while no process runs', () => sqlite({ beside: false }), 'refused'],
  ['on MongoDB', mongodb, 'refused'],
] as const;
