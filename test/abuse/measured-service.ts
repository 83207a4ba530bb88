import { expect } from 'vitest';
import { LoopIterations } from '../support/loop-iterations.js';
import { StandaloneProcess } from '../support/standalone-process.js';

/** Milliseconds of CPU time. */
const LONGEST_ITERATION = 25;
/**
 * Number of attempts of an attack. Compilation and garbage collection sometimes lengthen an iteration, but an attack that
 * causes too much work fails every attempt.
 */
const ATTEMPTS = 4;
/** The iterations per attempt, so that an attempt is equally long on slow and fast machines. */
const ITERATIONS = 100;

/** The service with a measured event loop. */
export class MeasuredService {
  private constructor(
    readonly app: StandaloneProcess,
    private readonly iterations: LoopIterations,
  ) {}

  static async start(): Promise<MeasuredService> {
    const iterations = new LoopIterations();
    return new MeasuredService(await StandaloneProcess.start(iterations.env), iterations);
  }

  /** Expects that no iteration of the event loop takes long while the attack repeats. */
  async expectShortIterations(attack: () => Promise<unknown>): Promise<void> {
    const attempts: string[] = [];
    while (attempts.length < ATTEMPTS) {
      await this.iterations.taken();
      let longest = 0;
      for (let taken = 0; taken < ITERATIONS;) {
        await attack();
        const { iterations, longest: ofAttack } = await this.iterations.taken();
        taken += iterations;
        longest = Math.max(longest, ...ofAttack);
      }
      if (longest <= LONGEST_ITERATION) return;
      attempts.push(`${Math.round(longest)} ms`);
    }
    expect.fail(`in every attempt an iteration took more than ${LONGEST_ITERATION} ms of CPU: ${attempts.join(', ')}`);
  }

  async dispose(): Promise<void> {
    await this.app.dispose();
    this.iterations.dispose();
  }
}
