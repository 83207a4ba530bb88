import { openSharedStore } from '@keyfold/operator';
import { ApiClient } from './api-client.js';
import { SCALED_SETTINGS, ScaledProcess, type ScaledApp } from './scaled-process.js';
import type { ProcessEnv } from './standalone-process.js';

/** The numbers of processes, and settings for all of them; `undefined` removes a default one. */
export type ScaledOptions = Readonly<{ gateways?: number; workers?: number; env?: ProcessEnv }>;

/** Gateways and workers on one database, each a process that a test can stop, kill and start. */
export class ScaledService {
  private constructor(
    readonly uri: string,
    readonly gateways: readonly ScaledProcess[],
    readonly workers: readonly ScaledProcess[],
  ) {}

  /** Prepares an empty database, starts all processes at once and waits until they are ready. */
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

  /** Creates the processes without starting them. */
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

  /** Returns the address of the first gateway, for tests that use one address for the service. */
  get baseUrl(): string {
    return this.gateway(0).baseUrl;
  }

  gateway(index: number): ScaledProcess {
    const found = this.gateways[index];
    if (!found) throw new Error(`gateway ${index} does not exist`);
    return found;
  }

  /** Returns a client of one gateway. */
  api(gateway = 0): ApiClient {
    return new ApiClient(this.gateway(gateway).baseUrl);
  }

  /** Starts all stopped processes at once and waits until all are ready. */
  async startAll(env: ProcessEnv = {}): Promise<void> {
    await Promise.all(this.processes.filter(({ isRunning }) => !isRunning).map((each) => each.start(env)));
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.untilReady()));
  }

  /** Restarts all processes on the same data and ports. The additional variables also apply to later starts. */
  async restart(env: ProcessEnv = {}): Promise<void> {
    await this.stop();
    await this.startAll(env);
  }

  /** Stops all processes and returns their exit codes. */
  stop(): Promise<(number | null)[]> {
    return Promise.all(this.processes.map((each) => each.stop()));
  }

  /** Returns the output of all processes, each under its name. */
  output(): string {
    return this.processes.map((each) => `--- ${each.name}\n${each.output()}`).join('');
  }

  /** Kills all processes. Leaves the database to its owner. */
  async dispose(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.kill()));
  }
}

/** Runs `keyfold migrate` on an empty database. */
export async function migrate(uri: string): Promise<void> {
  await (await openSharedStore(uri, { prepare: true, leaseMilliseconds: 10_000, sessionDays: 90 })).close();
}
