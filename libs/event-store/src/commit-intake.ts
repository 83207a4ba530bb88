import type { Commit } from './commit.js';

/**
 * Takes over the commits of another store, for a restore or a copy, while nothing else uses this one. Abstract, so that it is both type
 * and injection token.
 */
export abstract class CommitIntake {
  /**
   * Stores commits of a slot as they are: with their positions, versions, ids, times and holds. They are in the order of the feed and follow
   * the last commit of the slot. If the call fails, the first of them may be stored: continue behind the head of the slot.
   *
   * A void commit closes its stream, as after a compaction. If earlier commits of the stream were taken over with their events, it
   * was compacted after they had been read: they become void, too.
   *
   * @throws StoreUnavailable the outcome is unknown
   * @throws IntakeRefused a commit has a position, stream version, command id or hold that another one has
   */
  abstract takeOver(slot: number, commits: readonly Commit[]): Promise<void>;
}

/** Commits do not follow those that the store has, or contradict them. */
export class IntakeRefused extends Error {
  constructor(slot: number, reason: string) {
    super(`cannot take over commits of slot ${slot}: ${reason}`);
    this.name = 'IntakeRefused';
  }
}
