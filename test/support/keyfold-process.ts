import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 60_000;
const STOP_MS = 15_000;
/** Longer than a readiness check takes. */
const EXPLANATION_MS = 4_000;

/** Environment variables of the app; `undefined` removes a default variable. */
export type ProcessEnv = Record<string, string | undefined>;

/** A program and its arguments. */
export type CommandLine = readonly [program: string, ...args: string[]];

type App = 'cli' | 'gateway' | 'standalone' | 'worker';

/** Returns the entry point of a built app. */
export function builtApp(app: App): string {
  const entry = resolve(import.meta.dirname, `../../dist/apps/${app}/src/main.js`);
  if (!existsSync(entry)) throw new Error(`${entry} is missing: build the app first`);
  return entry;
}

/** As large as `npm start` lets the young generation grow. From the start, which saves a sixth of the CPU time of each start. */
const HEAP = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/** Returns the command line of a built app. */
export const builtCommand = (app: App): CommandLine => [process.execPath, ...HEAP, builtApp(app)];

/** The app exited or timed out before it was ready; `output` is everything it wrote. */
export class StartFailure extends Error {
  constructor(
    readonly exitCode: number | null,
    readonly output: string,
  ) {
    super(exitCode === null ? `not ready in time:\n${output}` : `ended with ${exitCode} before ready:\n${output}`);
  }
}

/** A program of this project as a process, which ends with the test run. */
export class KeyfoldProcess {
  private child: ChildProcess | undefined;
  private ended: Promise<number | null> = Promise.resolve(null);
  private written = '';

  /** `command` applies from the next start on. `readyUrl` answers with a success status once the process is ready. */
  protected constructor(
    public command: CommandLine,
    private env: ProcessEnv,
    private readonly readyUrl: string,
  ) {}

  /** Returns the id of the running process. */
  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('no process is running');
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves with the exit code once the process has ended, or `null` if a signal ended it. */
  exit(): Promise<number | null> {
    return this.ended;
  }

  /** Returns the output of all starts, stdout and stderr. */
  output(): string {
    return this.written;
  }

  /**
   * Stops the app (SIGTERM) and returns its exit code, or `null` if a signal ended it. Kills it and throws after 15 s.
   */
  async stop(): Promise<number | null> {
    this.child?.kill('SIGTERM');
    const late = new AbortController();
    const outcome = await Promise.race([this.ended, sleep(STOP_MS, 'late' as const, { signal: late.signal })]);
    late.abort();
    if (outcome !== 'late') return outcome;
    await this.kill();
    throw new Error(`still running ${STOP_MS} ms after SIGTERM:\n${this.written}`);
  }

  /** Kills the app (SIGKILL), like a power failure. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  /**
   * Stops the app if it runs, then starts it on the same data and ports. The additional variables also apply to later
   * starts.
   */
  async restart(env: ProcessEnv = {}): Promise<void> {
    await this.stop();
    this.spawn(env);
    await this.untilReady();
  }

  /** Kills the app if it runs and removes its files. */
  async dispose(): Promise<void> {
    await this.kill();
  }

  /** Starts the process without waiting for it. The additional variables also apply to later starts. */
  spawn(env: ProcessEnv = {}): void {
    this.env = { ...this.env, ...env };
    // Passes the search path only, so that every machine runs the app with the same environment.
    const environment = { PATH: process.env['PATH'], TZ: 'UTC', ...this.env };
    const [program, ...args] = this.command;
    const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
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
        throw new StartFailure(null, `${this.written}Last answer: ${said}\n`);
      }
      await sleep(25);
    }
  }
}

const running = new Set<ChildProcess>();
// Leaves no server behind if the test run ends early.
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

/** Returns the last readiness answer of a process that is not ready. */
async function explanationOf(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(EXPLANATION_MS) });
    return `${answer.status} ${await answer.text()}`;
  } catch (error) {
    return String(error);
  }
}
