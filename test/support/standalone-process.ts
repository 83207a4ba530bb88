import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtCommand, type CommandLine, KeyfoldProcess, type ProcessEnv } from './keyfold-process.js';
import { lastingPort } from './lasting-port.js';
import { logLines } from './log-lines.js';

export { StartFailure, type ProcessEnv } from './keyfold-process.js';

/** The built standalone app as a process, with a temporary data folder and a free port of 127.0.0.1. */
export class StandaloneProcess extends KeyfoldProcess {
  readonly baseUrl: string;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    command: CommandLine,
    env: ProcessEnv,
  ) {
    const baseUrl = `http://127.0.0.1:${port}`;
    super(command, { ...environment(dataDir, port), ...env }, `${baseUrl}/ping`);
    this.baseUrl = baseUrl;
  }

  /** Starts the app (or another command) and waits for `GET /ping`. Throws `StartFailure`. */
  static async start(env: ProcessEnv = {}, command = builtCommand('standalone')): Promise<StandaloneProcess> {
    const dataDir = await mkdtemp(join(tmpdir(), 'keyfold-'));
    const started = new StandaloneProcess(dataDir, await lastingPort(), command, env);
    try {
      started.spawn();
      await started.untilReady();
    } catch (failure) {
      await started.dispose();
      throw failure;
    }
    return started;
  }

  /** Returns the address of probes and metrics. The app chooses the port and logs it shortly after it is ready. */
  get managementUrl(): string {
    const url = logLines(this.output()).find(({ msg }) => msg === 'management')?.['url'];
    if (typeof url !== 'string') throw new Error(`no log line contains the management port:\n${this.output()}`);
    return url;
  }

  /** Kills the app if it runs and removes its data. */
  override async dispose(): Promise<void> {
    await super.dispose();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

const environment = (dataDir: string, port: number): ProcessEnv => ({
  KEYFOLD_HOST: '127.0.0.1',
  KEYFOLD_PORT: String(port),
  KEYFOLD_MANAGEMENT_PORT: '0',
  KEYFOLD_DATA_DIR: dataDir,
  // Most tests do not depend on the number of threads, and one starts fastest.
  KEYFOLD_THREADS: '1',
  KEYFOLD_ADMIN_PASSWORD: 'Adm1n-pass',
  KEYFOLD_TRUSTED_PROXIES: '127.0.0.1',
});
