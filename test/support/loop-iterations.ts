import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { ProcessEnv } from './keyfold-process.js';

/** Iterations of an event loop: their number, and the CPU milliseconds of the longest ones in descending order. */
export type Iterations = Readonly<{ iterations: number; longest: readonly number[] }>;

const preload = pathToFileURL(resolve(import.meta.dirname, 'loop-iterations-preload.ts')).href;

/** Measures the event loop of a process that is started with its `env`. */
export class LoopIterations {
  readonly #folder = mkdtempSync(join(tmpdir(), 'iterations-'));
  readonly #socket = join(this.#folder, 'socket');

  get env(): ProcessEnv {
    return { NODE_OPTIONS: `--import=${preload}`, LOOP_ITERATIONS_SOCKET: this.#socket };
  }

  /** Returns the iterations since the last call. */
  async taken(): Promise<Iterations> {
    return JSON.parse(await text(connect(this.#socket))) as Iterations;
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
