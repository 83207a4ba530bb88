import type { NewCommit } from '@keyfold/event-store';
import { expect } from 'vitest';
import { LoopIterations } from '../support/loop-iterations.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { appendCommits } from './append-commits.js';

/** Milliseconds of CPU time on a fast machine. */
const LONGEST_ITERATION = 25;
/** On a slow machine, an iteration may take as long as this number of JSON round trips of 1 MiB, which is more. */
const LONGEST_IN_ROUND_TRIPS = 6;
/**
 * Number of attempts of an attack. Compilation and garbage collection sometimes lengthen an iteration, but an attack that
 * causes too much work fails every attempt.
 */
const ATTEMPTS = 8;
/** The iterations per attempt, so that an attempt is equally long on slow and fast machines. */
const ITERATIONS = 100;

/** The service with a measured event loop. */
export class MeasuredService {
  private constructor(
    readonly app: StandaloneProcess,
    private readonly iterations: LoopIterations,
  ) {}

  /** Starts the service on a store that contains these commits. */
  static async start(commits: readonly NewCommit[] = []): Promise<MeasuredService> {
    const iterations = new LoopIterations();
    if (commits.length === 0) return new MeasuredService(await StandaloneProcess.start(iterations.env), iterations);
    const app = await StandaloneProcess.start();
    await appendCommits(app, commits, iterations.env);
    return new MeasuredService(app, iterations);
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
      const limit = Math.max(LONGEST_ITERATION, LONGEST_IN_ROUND_TRIPS * roundTripCpu());
      if (longest <= limit) return;
      attempts.push(`${Math.round(longest)} of ${Math.round(limit)} ms`);
    }
    expect.fail(`in every attempt an iteration took too much CPU: ${attempts.join(', ')}`);
  }

  async dispose(): Promise<void> {
    await this.app.dispose();
    this.iterations.dispose();
  }
}

const megabyte = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, text: '<u>'.repeat(170) })));

/** Returns the milliseconds of CPU time of a JSON round trip of 1 MiB, the mean of ten. */
function roundTripCpu(): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < 10; round++) Buffer.from(JSON.stringify(JSON.parse(megabyte))).toString();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 10_000;
}
