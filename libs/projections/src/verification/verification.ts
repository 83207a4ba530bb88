import type { FeedLeases, SlotProgress } from '@keyfold/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { projectorName } from '../projecting/projector.js';
import { readModels as allModels } from '../read-model.js';
import { checkDocuments, checkList } from './document-check.js';
import { SlotCheck, type Report, type SlotBounds, type Verified } from './slot-check.js';

const PARALLEL_SLOTS = 4;

/** How long the projector may take to reach the heads at the start of the check, and the polling interval, in milliseconds. */
const PROJECTOR_TIMEOUT = 10_000;
const POLL_INTERVAL = 200;

/**
 * Numbers of checked items. `behind`: streams whose documents the projector had not updated yet. `unprojected`: commits that wait because no
 * process projects; 0 if one does.
 */
export type VerifiedCount = Readonly<{
  commits: number;
  streams: number;
  documents: number;
  behind: number;
  unprojected: number;
}>;

type ShowProgress = (progress: Readonly<{ done: number; total: number; unit: string }>) => Promise<void>;
const ignored: ShowProgress = async () => undefined;

/**
 * Folds all streams and compares them with documents and lists, in bounded memory. Every slot must be contiguous and every stream without
 * gaps; every document must match its stream, and every list its documents. Concurrent traffic causes no false reports: a document
 * only counts as late for commits that the projector had passed when the document was read. The projector may take some seconds to
 * reach the commits present at the start. If no process projects, the waiting commits are counted and not reported.
 */
export class Verification {
  constructor(
    private readonly verified: Verified,
    private readonly leases: FeedLeases,
    /** Tests shorten it. */
    private readonly projectorTimeout = PROJECTOR_TIMEOUT,
  ) {}

  /** Reports each problem in one sentence. Throws `StoreUnavailable`, and the reason of the signal. */
  async run(report: Report, signal: AbortSignal, progress: ShowProgress = ignored): Promise<VerifiedCount> {
    const { feed, readModels } = this.verified;
    const limit = pLimit(PARALLEL_SLOTS);
    // Checkpoints before heads: nothing is projected before it is in the feed.
    const projected = checkpointsOf(await this.leases.progress(projectorName));
    const bounds = [...(await feed.readHeads())].map(([slot, head]): SlotBounds => ({
      slot,
      head,
      projected: projected.get(slot) ?? 0,
    }));
    const parked = await readModels.parked();
    for (const { stream, error } of parked) await report(`stream ${stream} is parked: ${error}`);
    for (const each of bounds) if (each.head < each.projected) await report(aheadOf(each));

    const parkedStreams = new Set(parked.map(({ stream }) => stream));
    const total = sum(bounds.map(({ head }) => head));
    const passed = () => progress({ done: sum(checks.map(({ count }) => count.commits)), total, unit: 'commit' });
    const checks: SlotCheck[] = bounds.map((each) => new SlotCheck(this.verified, each, parkedStreams, report, passed));
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

  /** Reports a running projector that makes no progress. Returns the number of commits that wait because none runs. */
  async #expectProjector(bounds: readonly SlotBounds[], report: Report, signal: AbortSignal): Promise<number> {
    const deadline = performance.now() + this.projectorTimeout;
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
            `the projector is at position ${position} of slot ${slot}, which was at ${head} at the start of the check`,
          );
        }
        return 0;
      }
      await sleep(POLL_INTERVAL, undefined, { signal });
    }
  }
}

const checkpointsOf = (progress: readonly SlotProgress[]) =>
  new Map(progress.map(({ slot, position }) => [slot, position]));
const aheadOf = ({ slot, head, projected }: SlotBounds) =>
  `the projector is at position ${projected} of slot ${slot}, whose feed ends at ${head}`;
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
