import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const START_MS = 60_000;
const STOP_MS = 15_000;
/** Longer than a process looks at what it needs. */
const EXPLANATION_MS = 4_000;

/** Environment variables of the app; `undefined` takes a variable of the factory environment away. */
export type ProcessEnv = Record<string, string | undefined>;

/** The entry point of a built app. */
export const builtApp = (app: 'cli' | 'gateway' | 'standalone' | 'worker') =>
  resolve(import.meta.dirname, `../../dist/apps/${app}/src/main.js`);

/** The app ended, or did not answer in time, before it was ready; `output` is all it wrote. */
export class StartFailure extends Error {
  constructor(
    readonly exitCode: number | null,
    readonly output: string,
  ) {
    super(exitCode === null ? `not ready in time:\n${output}` : `ended with ${exitCode} before ready:\n${output}`);
  }
}

/** A program of this project as a process of its own; it ends with the test run, however that ends. */
export class KeyfoldProcess {
  private child: ChildProcess | undefined;
  private ended: Promise<number | null> = Promise.resolve(null);
  private written = '';

  /** `readyUrl` answers with a status of success when the process is ready. */
  protected constructor(
    private readonly entry: string,
    private env: ProcessEnv,
    private readonly readyUrl: string,
  ) {
    if (!existsSync(entry)) throw new Error(`${entry} is missing: build the app first`);
  }

  /** The id of the running process. */
  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('no process is running');
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves with the exit code when the process has ended; `null` when a signal ended it. */
  exit(): Promise<number | null> {
    return this.ended;
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

  /** Stops the app if it runs, and starts it on the same data and ports, from now on with more variables. */
  async restart(env: ProcessEnv = {}): Promise<void> {
    await this.stop();
    this.spawn(env);
    await this.untilReady();
  }

  /** Kills the app if it runs and removes what it leaves. */
  async dispose(): Promise<void> {
    await this.kill();
  }

  /** Starts the process, from now on with more variables, and waits for nothing. */
  spawn(env: ProcessEnv = {}): void {
    this.env = { ...this.env, ...env };
    // Nothing of the caller's environment but the search path, so that every machine runs the same app.
    const environment = { PATH: process.env['PATH'], TZ: 'UTC', ...this.env };
    const child = spawn(process.execPath, [this.entry], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.written += text));
    }
    running.add(child);
    this.ended = new Promise((end) => child.once('close', (code) => end(code)));
    void this.ended.then(() => running.delete(child));
    this.child = child;
  }

  /** Waits until the process is ready. Throws `StartFailure`. */
  async untilReady(): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!(await answers(this.readyUrl))) {
      if (!this.isRunning) throw new StartFailure(await this.ended, this.written);
      if (Date.now() > deadline) {
        const said = await explanationOf(this.readyUrl);
        await this.kill();
        throw new StartFailure(null, `${this.written}At last it said: ${said}\n`);
      }
      await pause(25);
    }
  }
}

const running = new Set<ChildProcess>();
// A test run that ends early leaves no server behind.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

/** What a process says that is not ready. */
async function explanationOf(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(EXPLANATION_MS) });
    return `${answer.status} ${await answer.text()}`;
  } catch (error) {
    return String(error);
  }
}
