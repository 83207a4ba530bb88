import type { FeedLeases, SlotProgress } from '@keyfold/event-store';
import pLimit from 'p-limit';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectorName } from '../projector.js';
import { readModels as allModels } from '../read-model.js';
import { checkDocuments } from './document-check.js';
import { checkList } from './list-check.js';
import { SeenKeys } from './seen-keys.js';
import { SlotCheck, type Report, type SlotBounds, type Verified } from './slot-check.js';

const SLOTS_AT_ONCE = 4;

/** How long the projector has to reach what was in the feed when the check began, and how often to look, in milliseconds. A hole takes it seconds. */
const PROJECTOR_PATIENCE = 10_000;
const LOOK_INTERVAL = 200;

/**
 * What was looked at. `behind`: streams whose documents the projector had not brought up to date yet. `unprojected`: commits that wait
 * because no process projects; 0 when one does.
 */
export type VerifiedCount = Readonly<{
  commits: number;
  streams: number;
  documents: number;
  behind: number;
  unprojected: number;
}>;

/**
 * Folds everything and compares it with the documents and lists, in bounded memory: every slot of the feed is contiguous, every stream
 * dense, command ids and holds are unique (among two million neighbours; the stores' unique indexes say it of all), every document is
 * what its stream leads to, and lists hold what they should. Traffic makes no false problems: a document counts as late only for what
 * the projector had passed when it was read, and the projector itself has some seconds to reach what was there at the beginning. Where
 * nobody projects, that is counted and no problem.
 */
export class Verification {
  constructor(
    private readonly verified: Verified,
    private readonly leases: FeedLeases,
    private readonly projectorPatience = PROJECTOR_PATIENCE,
  ) {}

  /** Tells each problem in a sentence. Throws `StoreUnavailable`, and the reason of the signal. */
  async run(report: Report, signal: AbortSignal): Promise<VerifiedCount> {
    const { feed, readModels } = this.verified;
    const limit = pLimit(SLOTS_AT_ONCE);
    // In this order: nothing is projected that is not in the feed.
    const projected = checkpointsOf(await this.leases.progress(projectorName));
    const bounds = [...(await feed.readHeads())].map(([slot, head]): SlotBounds => ({
      slot,
      head,
      projected: projected.get(slot) ?? 0,
    }));
    const parked = await readModels.parked();
    for (const { stream, error } of parked) await report(`stream ${stream} is parked: ${error}`);
    for (const each of bounds) if (each.head < each.projected) await report(aheadOf(each));

    const seen = new SeenKeys();
    const parkedStreams = new Set(parked.map(({ stream }) => stream));
    const checks = bounds.map((each) => new SlotCheck(this.verified, each, seen, parkedStreams, report));
    await limit.map(checks, (check) => check.run(signal));
    const documents = await limit.map(allModels, async (model) => {
      await checkList(this.verified, model, report, signal);
      return checkDocuments(this.verified, model, report, signal);
    });
    const unprojected = this.verified.isSettled ? 0 : await this.#expectProjector(bounds, report, signal);
    return {
      commits: sum(checks.map(({ count }) => count.commits)),
      streams: sum(checks.map(({ count }) => count.streams)),
      behind: sum(checks.map(({ count }) => count.behind)),
      documents: sum(documents),
      unprojected,
    };
  }

  /** A projector that runs and does not come is a problem as well. Answers how many commits wait because none runs. */
  async #expectProjector(bounds: readonly SlotBounds[], report: Report, signal: AbortSignal): Promise<number> {
    const deadline = performance.now() + this.projectorPatience;
    for (;;) {
      const progress = await this.leases.progress(projectorName);
      const reached = checkpointsOf(progress);
      const late = bounds.filter(({ slot, head }) => (reached.get(slot) ?? 0) < head);
      if (late.length === 0) return 0;
      if (progress.every(({ owner }) => owner === undefined))
        return sum(late.map(({ slot, head }) => head - (reached.get(slot) ?? 0)));
      if (performance.now() > deadline) {
        for (const { slot, head } of late) {
          const position = reached.get(slot) ?? 0;
          await report(
            `the projector is at position ${position} of slot ${slot}, which was at ${head} when this began`,
          );
        }
        return 0;
      }
      await sleep(LOOK_INTERVAL, undefined, { signal });
    }
  }
}

const checkpointsOf = (progress: readonly SlotProgress[]) =>
  new Map(progress.map(({ slot, position }) => [slot, position]));
const aheadOf = ({ slot, head, projected }: SlotBounds) =>
  `the projector is at position ${projected} of slot ${slot}, whose feed ends at ${head}`;
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
