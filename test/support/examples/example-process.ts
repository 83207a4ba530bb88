import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExampleProgram } from './example-programs.js';

/** A subscriber of `deploy/examples` as a process, with a database in a temporary folder that survives restarts. */
export class ExampleProcess {
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(null);
  #written = '';

  private constructor(
    private readonly program: ExampleProgram,
    private readonly folder: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** Starts the example; `settings` are environment variables. */
  static async start(program: ExampleProgram, settings: Readonly<Record<string, string>>): Promise<ExampleProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'keyfold-example-'));
    const example = new ExampleProcess(program, folder, settings);
    example.restart();
    return example;
  }

  /** Starts the example again after it ended. */
  restart(): void {
    const { command, args, env } = this.program;
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], ...env, DATABASE: this.#database, ...this.settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#written += text));
    }
    running.add(child);
    this.#ended = new Promise((end) => child.once('close', (code) => end(code)));
    void this.#ended.then(() => running.delete(child));
    this.#child = child;
  }

  /** Kills the process (SIGKILL), like a power failure. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** Stops the process (SIGTERM) and returns its exit code, or null if a signal ended it. */
  stop(): Promise<number | null> {
    this.#child?.kill('SIGTERM');
    return this.#ended;
  }

  /** Returns the output of all starts. */
  get output(): string {
    return this.#written;
  }

  /** Returns the stored rows, or none before the first start has created the table. */
  rows<Row>(query: string): Row[] {
    try {
      const database = new DatabaseSync(this.#database, { readOnly: true, timeout: 5_000 });
      try {
        return database.prepare(query).all() as Row[];
      } finally {
        database.close();
      }
    } catch {
      return [];
    }
  }

  /** Returns the ids of the handled events in order. */
  get history(): string[] {
    return this.rows<{ id: string }>('SELECT id FROM history ORDER BY number').map(({ id }) => id);
  }

  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  get #database(): string {
    return join(this.folder, 'keys.db');
  }
}

const running = new Set<ChildProcess>();
// Leaves no process behind if the test run ends early.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));
