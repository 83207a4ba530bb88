import { expect } from 'vitest';
import { LoopTurns } from '../support/loop-turns.js';
import { StandaloneProcess } from '../support/standalone-process.js';

/** Milliseconds of CPU. */
const LONGEST_TURN = 25;
/**
 * Tries of an attack. Compiling code and collecting garbage make a turn long now and then; an attack that finds too much work does so in
 * every try.
 */
const TRIES = 4;
/** Turns that a try lasts, so that it is as long on a slow machine as on a fast one. */
const TURNS = 100;

/** The service with its event loop measured. */
export class MeasuredService {
  private constructor(
    readonly app: StandaloneProcess,
    private readonly turns: LoopTurns,
  ) {}

  static async start(): Promise<MeasuredService> {
    const turns = new LoopTurns();
    return new MeasuredService(await StandaloneProcess.start(turns.env), turns);
  }

  /** Expects that no turn of the event loop takes long while the attack is repeated. */
  async expectShortTurns(attack: () => Promise<unknown>): Promise<void> {
    const tries: string[] = [];
    while (tries.length < TRIES) {
      await this.turns.taken();
      let longest = 0;
      for (let taken = 0; taken < TURNS;) {
        await attack();
        const { turns, longest: ofAttack } = await this.turns.taken();
        taken += turns;
        longest = Math.max(longest, ...ofAttack);
      }
      if (longest <= LONGEST_TURN) return;
      tries.push(`${Math.round(longest)} ms`);
    }
    expect.fail(`in every try a turn took more than ${LONGEST_TURN} ms of CPU: ${tries.join(', ')}`);
  }

  async dispose(): Promise<void> {
    await this.app.dispose();
    this.turns.dispose();
  }
}
