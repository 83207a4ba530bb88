import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const BUILT_APP = resolve(import.meta.dirname, '../../dist/apps/standalone/src/main.js');
const START_MS = 30_000;
const STOP_MS = 15_000;

/** Environment variables of the app; `undefined` takes a variable of the factory environment away. */
export type ProcessEnv = Record<string, string | undefined>;

/** The app ended, or did not answer in time, before it was ready; `output` is all it wrote. */
export class StartFailure extends Error {
  constructor(
    readonly exitCode: number | null,
    readonly output: string,
  ) {
    super(exitCode === null ? `not ready in time:\n${output}` : `ended with ${exitCode} before ready:\n${output}`);
  }
}

/** The built standalone app as a process of its own, on a temporary data folder and a free port of 127.0.0.1. */
export class StandaloneProcess {
  readonly baseUrl: string;
  private child: ChildProcess | undefined;
  private ended: Promise<number | null> = Promise.resolve(null);
  private written = '';

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    private readonly entry: string,
    private env: ProcessEnv,
  ) {
    this.baseUrl = `http://127.0.0.1:${port}`;
  }

  /** Starts the app (or another `entry` script) and waits for `GET /ping`. Throws `StartFailure`. */
  static async start(env: ProcessEnv = {}, entry = BUILT_APP): Promise<StandaloneProcess> {
    if (!existsSync(entry)) throw new Error(`${entry} is missing: build the app first`);
    const dataDir = await mkdtemp(join(tmpdir(), 'keyfold-'));
    const started = new StandaloneProcess(dataDir, await freePort(), entry, env);
    try {
      await started.launch();
    } catch (failure) {
      await started.dispose();
      throw failure;
    }
    return started;
  }

  /** The id of the running process. */
  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('no process is running');
    return this.child.pid;
  }

  /** All that the app wrote to stdout and stderr, over all its starts. */
  output(): string {
    return this.written;
  }

  /** Asks the app to end (SIGTERM) and answers its exit code; `null` when a signal ended it. Kills and throws after 15 s. */
  async stop(): Promise<number | null> {
    this.child?.kill('SIGTERM');
    const late = new AbortController();
    const outcome = await Promise.race([this.ended, pause(STOP_MS, 'late' as const, { signal: late.signal })]);
    late.abort();
    if (outcome !== 'late') return outcome;
    await this.kill();
    throw new Error(`did not end within ${STOP_MS} ms of SIGTERM:\n${this.written}`);
  }

  /** Ends the app at once (SIGKILL), as a power cut would. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  /** Stops the app if it runs, and starts it on the same data and port, from now on with more variables. */
  async restart(env: ProcessEnv = {}): Promise<void> {
    await this.stop();
    this.env = { ...this.env, ...env };
    await this.launch();
  }

  /** Kills the app if it runs and removes its data. */
  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private async launch(): Promise<void> {
    const child = spawn(process.execPath, [this.entry], { env: this.environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.written += text));
    }
    running.add(child);
    this.ended = new Promise((end) => child.once('close', (code) => end(code)));
    void this.ended.then(() => running.delete(child));
    this.child = child;
    await this.untilReady(child);
  }

  private async untilReady(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!(await answersPing(this.baseUrl))) {
      if (child.exitCode !== null || child.signalCode !== null) throw new StartFailure(await this.ended, this.written);
      if (Date.now() > deadline) {
        await this.kill();
        throw new StartFailure(null, this.written);
      }
      await pause(25);
    }
  }

  /** Nothing of the caller's environment but the search path, so that every machine runs the same app. */
  private environment(): ProcessEnv {
    return {
      PATH: process.env['PATH'],
      TZ: 'UTC',
      KEYFOLD_HOST: '127.0.0.1',
      KEYFOLD_PORT: String(this.port),
      KEYFOLD_DATA_DIR: this.dataDir,
      KEYFOLD_ADMIN_PASSWORD: 'Adm1n-pass',
      KEYFOLD_TRUSTED_PROXIES: '127.0.0.1',
      ...this.env,
    };
  }
}

const running = new Set<ChildProcess>();
// A test run that ends early leaves no server behind.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function answersPing(baseUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${baseUrl}/ping`, { signal: AbortSignal.timeout(1_000) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
