import type { FeedLeases } from '@keyfold/event-store';
import pLimit from 'p-limit';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectorName } from '../projector.js';
import { readModels as allModels } from '../read-model.js';
import { checkDocuments } from './document-check.js';
import { checkList } from './list-check.js';
import { feedHead } from './feed-head.js';
import { SeenKeys } from './seen-keys.js';
import { SlotCheck, type Report, type SlotBounds, type Verified } from './slot-check.js';

const SLOTS_AT_ONCE = 4;

/** How long the projector has to reach what was in the feed when the check began, and how often to look, in milliseconds. A hole takes it seconds. */
const PROJECTOR_PATIENCE = 10_000;
const LOOK_INTERVAL = 200;

/** What was looked at. `behind`: streams whose documents the projector had not brought up to date yet. */
export type VerifiedCount = Readonly<{ commits: number; streams: number; documents: number; behind: number }>;

/**
 * Folds everything and compares it with the documents and lists, in bounded memory: every slot of the feed is contiguous, every stream
 * dense, command ids and holds are unique (among two million neighbours; the stores' unique indexes say it of all), every document is
 * what its stream leads to, and lists hold what they should. Traffic makes no false problems: a document counts as late only for what
 * the projector had passed when it was read, and the projector itself has some seconds to reach what was there at the beginning.
 */
export class Verification {
  constructor(
    private readonly verified: Verified,
    private readonly leases: FeedLeases,
    private readonly projectorPatience = PROJECTOR_PATIENCE,
  ) {}

  /** Tells each problem in a sentence. Throws `StoreUnavailable`, and the reason of the signal. */
  async run(report: Report, signal: AbortSignal): Promise<VerifiedCount> {
    const { store, readModels } = this.verified;
    const slots = Array.from({ length: store.slots }, (_, slot) => slot);
    const limit = pLimit(SLOTS_AT_ONCE);
    const projected = await this.#checkpoints();
    const bounds = await limit.map(slots, async (slot): Promise<SlotBounds> => {
      const position = projected.get(slot) ?? 0;
      return { slot, projected: position, head: await feedHead(store, slot, position) };
    });
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
    if (!this.verified.isSettled) await this.#expectProjector(bounds, report, signal);
    return {
      commits: sum(checks.map(({ count }) => count.commits)),
      streams: sum(checks.map(({ count }) => count.streams)),
      behind: sum(checks.map(({ count }) => count.behind)),
      documents: sum(documents),
    };
  }

  async #checkpoints(): Promise<Map<number, number>> {
    return new Map((await this.leases.progress(projectorName)).map(({ slot, position }) => [slot, position]));
  }

  /** Documents that nobody brings up to date are a problem as well. */
  async #expectProjector(bounds: readonly SlotBounds[], report: Report, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + this.projectorPatience;
    for (;;) {
      const reached = await this.#checkpoints();
      const late = bounds.filter(({ slot, head }) => (reached.get(slot) ?? 0) < head);
      if (late.length === 0) return;
      if (performance.now() > deadline) {
        for (const { slot, head } of late) {
          const position = reached.get(slot) ?? 0;
          await report(
            `the projector is at position ${position} of slot ${slot}, which was at ${head} when this began`,
          );
        }
        return;
      }
      await sleep(LOOK_INTERVAL, undefined, { signal });
    }
  }
}

const aheadOf = ({ slot, head, projected }: SlotBounds) =>
  `the projector is at position ${projected} of slot ${slot}, whose feed ends at ${head}`;
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
