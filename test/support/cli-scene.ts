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
  /** Returns the output of the service. */
  output(): string;
  dispose(): Promise<void>;
}

async function sqlite({ beside }: { beside: boolean }): Promise<CliScene> {
  const app = await StandaloneProcess.start({ KEYFOLD_THREADS: '2' });
  const started = async () => {
    if (!app.isRunning) await app.restart();
    return new ApiClient(app.baseUrl);
  };
  return {
    api: started,
    async run(input, args, env) {
      if (!beside && app.isRunning) await app.stop();
      return keyfoldReading(input, { KEYFOLD_DATA_DIR: app.dataDir, ...env }, ...args);
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
