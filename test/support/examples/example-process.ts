import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExampleProgram } from './example-programs.js';

/** A subscriber of `deploy/examples` as a process of its own, with a database in a temporary folder that outlives its starts. */
export class ExampleProcess {
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(null);
  #written = '';

  private constructor(
    private readonly program: ExampleProgram,
    private readonly folder: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** `settings` are variables of the environment. */
  static async start(program: ExampleProgram, settings: Readonly<Record<string, string>>): Promise<ExampleProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'keyfold-example-'));
    const example = new ExampleProcess(program, folder, settings);
    example.restart();
    return example;
  }

  /** After it ended in whatever way. */
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

  /** At once (SIGKILL), as a power cut would. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** Asks it to end (SIGTERM) and answers its exit code; null when a signal ended it. */
  stop(): Promise<number | null> {
    this.#child?.kill('SIGTERM');
    return this.#ended;
  }

  /** All that it wrote, over all its starts. */
  get output(): string {
    return this.#written;
  }

  /** What it stored; no rows before its first start has made the table. */
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

  /** The ids of the events that took effect, in the order in which they did. */
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
// A test run that ends early leaves none behind.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));
