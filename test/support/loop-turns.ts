import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { ProcessEnv } from './keyfold-process.js';

/** Turns of an event loop: their number, and the CPU time of the longest ones in milliseconds, longest first. */
export type Turns = Readonly<{ turns: number; longest: readonly number[] }>;

const preload = pathToFileURL(resolve(import.meta.dirname, 'loop-turns-preload.ts')).href;

/** Measures the turns of a process that runs with its `env`. */
export class LoopTurns {
  readonly #folder = mkdtempSync(join(tmpdir(), 'turns-'));
  readonly #socket = join(this.#folder, 'socket');

  get env(): ProcessEnv {
    return { NODE_OPTIONS: `--import=${preload}`, LOOP_TURNS_SOCKET: this.#socket };
  }

  /** Returns the turns since the last call. */
  async taken(): Promise<Turns> {
    return JSON.parse(await text(connect(this.#socket))) as Turns;
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
