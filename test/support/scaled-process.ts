import { ADMIN_PASSWORD } from './accounts.js';
import { builtCommand, type CommandLine, KeyfoldProcess, type ProcessEnv } from './keyfold-process.js';
import { lastingPort } from './lasting-port.js';

/** The apps that work on MongoDB. */
export type ScaledApp = 'gateway' | 'standalone' | 'worker';

/** Settings that all processes of a service must share. */
export const SCALED_SETTINGS = {
  KEYFOLD_ADMIN_PASSWORD: ADMIN_PASSWORD,
  KEYFOLD_TOKEN_SECRET: 'a secret that all processes of a test share',
  KEYFOLD_SEALING_KEY: 'k1:7kHPEHiVD09lj+mji2UbxB+xfb2M1UIaBy9QtoSh5NM=',
  KEYFOLD_TRUSTED_PROXIES: '127.0.0.1',
} as const;

/** The answer of `/health/ready`. */
export type Readiness = Readonly<{ code: number; status: string; checks: Readonly<Record<string, string>> }>;

/** A built app on MongoDB as a process, with ports on 127.0.0.1 that survive restarts. */
export class ScaledProcess extends KeyfoldProcess {
  /** The address of the API; a worker has none. */
  readonly baseUrl: string;
  readonly managementUrl: string;

  private constructor(
    command: CommandLine,
    readonly name: string,
    readonly port: number,
    readonly managementPort: number,
    env: ProcessEnv,
  ) {
    const managementUrl = `http://127.0.0.1:${managementPort}`;
    const addresses = {
      KEYFOLD_HOST: '127.0.0.1',
      KEYFOLD_PORT: String(port),
      KEYFOLD_MANAGEMENT_PORT: String(managementPort),
      KEYFOLD_STORE: 'mongodb',
    };
    super(command, { ...addresses, ...env }, `${managementUrl}/health/ready`);
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.managementUrl = managementUrl;
  }

  /** Creates a process of an app (or another command) without starting it. `name` appears in test messages. */
  static async create(app: ScaledApp, name: string, env: ProcessEnv, command = builtCommand(app)) {
    return new ScaledProcess(command, name, await lastingPort(), await lastingPort(), env);
  }

  /**
   * Starts it and waits until it is ready. The additional variables also apply to later starts. Throws `StartFailure`.
   */
  async start(env: ProcessEnv = {}): Promise<void> {
    this.spawn(env);
    await this.untilReady();
  }

  /** Returns the readiness of the process; undefined while its management port is closed. */
  async readiness(): Promise<Readiness | undefined> {
    const answer = await this.#health('ready');
    return answer && { code: answer.status, ...((await answer.json()) as Omit<Readiness, 'code'>) };
  }

  /** Returns the HTTP status of the liveness probe; undefined while the management port is closed. */
  async liveness(): Promise<number | undefined> {
    return (await this.#health('live'))?.status;
  }

  #health(what: 'live' | 'ready'): Promise<Response | undefined> {
    const url = `${this.managementUrl}/health/${what}`;
    return fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  }
}
