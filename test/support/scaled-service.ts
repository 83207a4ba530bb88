import { openSharedStore } from '@keyfold/operator';
import { ApiClient } from './api-client.js';
import { SCALED_SETTINGS, ScaledProcess, type ScaledApp } from './scaled-process.js';
import type { ProcessEnv } from './standalone-process.js';

/** How many processes, and settings that all of them get beside those of the tests; `undefined` takes one of those away. */
export type ScaledOptions = Readonly<{ gateways?: number; workers?: number; env?: ProcessEnv }>;

/** Several gateways and workers on one database, each a process that can be stopped, killed and started on its own. */
export class ScaledService {
  private constructor(
    readonly uri: string,
    readonly gateways: readonly ScaledProcess[],
    readonly workers: readonly ScaledProcess[],
  ) {}

  /** Makes the collections and indexes of an empty database, starts everything at once and waits until all are ready. */
  static async start(uri: string, options: ScaledOptions = {}): Promise<ScaledService> {
    const service = await ScaledService.create(uri, options);
    try {
      await migrate(uri);
      await service.startAll();
      return service;
    } catch (failure) {
      await service.dispose();
      throw failure;
    }
  }

  /** The processes, none of which runs yet. */
  static async create(
    uri: string,
    { gateways = 2, workers = 2, env = {} }: ScaledOptions = {},
  ): Promise<ScaledService> {
    const settings = { ...SCALED_SETTINGS, KEYFOLD_MONGODB_URI: uri, ...env };
    const processes = (app: ScaledApp, count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => ScaledProcess.create(app, `${app} ${index}`, settings)));
    return new ScaledService(uri, await processes('gateway', gateways), await processes('worker', workers));
  }

  get processes(): ScaledProcess[] {
    return [...this.gateways, ...this.workers];
  }

  get urls(): string[] {
    return this.gateways.map(({ baseUrl }) => baseUrl);
  }

  /** The first gateway's address, which tests that need one name for the service use. */
  get baseUrl(): string {
    return this.gateway(0).baseUrl;
  }

  gateway(index: number): ScaledProcess {
    const found = this.gateways[index];
    if (!found) throw new Error(`there is no gateway ${index}`);
    return found;
  }

  /** A client of one gateway. */
  api(gateway = 0): ApiClient {
    return new ApiClient(this.gateway(gateway).baseUrl);
  }

  /** Starts every process that does not run, all at once, and waits until all are ready. */
  async startAll(env: ProcessEnv = {}): Promise<void> {
    await Promise.all(this.processes.filter(({ isRunning }) => !isRunning).map((each) => each.start(env)));
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.untilReady()));
  }

  /** Stops all processes and starts them on the same data and ports, from now on with more variables. */
  async restart(env: ProcessEnv = {}): Promise<void> {
    await this.stop();
    await this.startAll(env);
  }

  /** Asks all processes to end and answers their exit codes. */
  stop(): Promise<(number | null)[]> {
    return Promise.all(this.processes.map((each) => each.stop()));
  }

  /** All that the processes wrote, each under its name. */
  output(): string {
    return this.processes.map((each) => `--- ${each.name}\n${each.output()}`).join('');
  }

  /** Kills all processes; the database is its owner's. */
  async dispose(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.kill()));
  }
}

/** What `keyfold migrate` does for an empty database. */
export async function migrate(uri: string): Promise<void> {
  await (await openSharedStore(uri, { prepare: true, leaseMilliseconds: 10_000, sessionDays: 90 })).close();
}
