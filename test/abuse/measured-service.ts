import type { NewCommit } from '@keyfold/event-store';
import { expect } from 'vitest';
import { LoopTurns } from '../support/loop-turns.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { appendCommits } from './append-commits.js';

/** Milliseconds of CPU time. */
const LONGEST_TURN = 25;
/**
 * Number of attempts of an attack. Compilation and garbage collection sometimes lengthen a turn, but an attack that
 * causes too much work fails every attempt.
 */
const ATTEMPTS = 4;
/** The turns per attempt, so that an attempt is equally long on slow and fast machines. */
const TURNS = 100;

/** The service with a measured event loop. */
export class MeasuredService {
  private constructor(
    readonly app: StandaloneProcess,
    private readonly turns: LoopTurns,
  ) {}

  /** Starts the service on a store that contains these commits. */
  static async start(commits: readonly NewCommit[] = []): Promise<MeasuredService> {
    const turns = new LoopTurns();
    if (commits.length === 0) return new MeasuredService(await StandaloneProcess.start(turns.env), turns);
    const app = await StandaloneProcess.start();
    await appendCommits(app, commits, turns.env);
    return new MeasuredService(app, turns);
  }

  /** Expects that no turn of the event loop takes long while the attack repeats. */
  async expectShortTurns(attack: () => Promise<unknown>): Promise<void> {
    const attempts: string[] = [];
    while (attempts.length < ATTEMPTS) {
      await this.turns.taken();
      let longest = 0;
      for (let taken = 0; taken < TURNS;) {
        await attack();
        const { turns, longest: ofAttack } = await this.turns.taken();
        taken += turns;
        longest = Math.max(longest, ...ofAttack);
      }
      if (longest <= LONGEST_TURN) return;
      attempts.push(`${Math.round(longest)} ms`);
    }
    expect.fail(`in every attempt a turn took more than ${LONGEST_TURN} ms of CPU: ${attempts.join(', ')}`);
  }

  async dispose(): Promise<void> {
    await this.app.dispose();
    this.turns.dispose();
  }
}
