import { requireSealingKey, SystemClock } from '@keyfold/application';
import type { Commit } from '@keyfold/event-store';
import { Projection, Projector, StreamLoader } from '@keyfold/projections';
import { reasonOf } from '@keyfold/reporting';
import { parseSealingKeys, Sealer } from '@keyfold/security';
import type { LogAdapters, StoreAdapters } from '@keyfold/wiring';
import type { OperatorOutput } from '../../command-run.js';
import { eraseAccountData } from '../erasure/erase-account-data.js';
import { recordedErasures } from '../erasure/erasure-records.js';
import { untilCaughtUp } from '../migrate.js';
import { findCopied, requireCopyOf } from './copied-positions.js';
import { erasedIn, isLeft, partsUpToErasures } from './erased-accounts.js';
import { copyRelayProgress } from './relay-progress.js';
import type { SourceLog } from './source-log.js';
import { readBatches, sumOf, type Positions, type SourceCommit } from './source-feed.js';
import { isOfOneStore, TargetFeed } from './target-feed.js';

/** The context of a copy. */
export type CopyRun = Readonly<{ output: OperatorOutput; signal: AbortSignal }>;

/** Copies the commits of a store to another one, and keeps the read models there up to date meanwhile. */
export class StoreCopy {
  readonly #projector: Projector;
  readonly #loader: StreamLoader;
  /** In each slot of the source, the position up to which everything is copied. */
  #copied: Positions = new Map();
  /** The command ids of later commits that an interrupted run has copied. */
  #copiedIds: ReadonlySet<string> = new Set();
  readonly #feed: TargetFeed;

  private constructor(
    private readonly source: SourceLog,
    private readonly target: StoreAdapters,
    targetHeads: Positions,
    private readonly run: CopyRun,
  ) {
    const { store, readModels, feed, leases } = target;
    const clock = new SystemClock();
    this.#feed = new TargetFeed(target, targetHeads);
    this.#loader = new StreamLoader(store, readModels);
    const projection = new Projection(this.#loader, readModels, () => clock.now());
    const report = (error: unknown) => void run.output.err(`cannot project, retrying: ${reasonOf(error)}`);
    this.#projector = new Projector(feed, projection, leases, report);
  }

  /** Finds out what an earlier run has copied. Throws `CopyRefused`, `StoreUnavailable`. */
  static async begin(source: SourceLog, target: StoreAdapters, run: CopyRun): Promise<StoreCopy> {
    const [sourceHeads, targetHeads] = await Promise.all([source.adapters.feed.readHeads(), target.feed.readHeads()]);
    await requireCopyOf(source.adapters, target, targetHeads);
    const copy = new StoreCopy(source, target, targetHeads, run);
    copy.#projector.start();
    try {
      if (sumOf(targetHeads) > 0) await copy.#continue(sourceHeads, targetHeads);
    } catch (error) {
      await copy.end();
      throw error;
    }
    return copy;
  }

  async #continue(sourceHeads: Positions, targetHeads: Positions): Promise<void> {
    const { source, target } = this;
    await this.#eraseRecorded();
    const { positions, ids } = await findCopied(source.adapters, target, sourceHeads, targetHeads);
    this.#copied = positions;
    this.#copiedIds = ids;
  }

  /** Copies everything up to the current heads of the source. Returns these. Throws `CopyRefused`, `StoreUnavailable`. */
  async copyToHeads(): Promise<Positions> {
    const { run } = this;
    const { feed } = this.source.adapters;
    const heads = await feed.readHeads();
    const total = sumOf(heads);
    await run.output.progress?.({ done: sumOf(this.#copied), total, unit: 'commit' });
    const copied = new Map(this.#copied);
    for await (const batch of readBatches(feed, this.#copied, heads)) {
      run.signal.throwIfAborted();
      await this.#takeOver(this.#missingOf(batch));
      for (const { slot, commit } of batch) copied.set(slot, commit.position);
      await run.output.progress?.({ done: sumOf(copied), total, unit: 'commit' });
    }
    this.#copied = copied;
    return heads;
  }

  /** Returns the number of commits that the source has by now and the target lacks. */
  async behind(): Promise<number> {
    await this.source.refresh();
    return sumOf(await this.source.adapters.feed.readHeads()) - sumOf(this.#copied);
  }

  /** Waits until the read models of the target contain everything that was copied. */
  async project(): Promise<void> {
    await untilCaughtUp({ ports: this.target, ...this.run });
  }

  /** Throws `UnknownSealingKey` or `SealBroken` if the keys do not open the secrets in the copy. */
  async requireSealingKeys(keys: string): Promise<void> {
    await requireSealingKey(this.#loader, new Sealer(parseSealingKeys(keys)));
  }

  /** Copies the rest of a source that nothing changes any more, with the relay's progress and the counters. */
  async complete(): Promise<void> {
    const { target } = this;
    const source = this.source.adapters;
    const sourceHeads = await this.copyToHeads();
    await this.#eraseRecorded();
    await copyRelayProgress({ source, target, sourceHeads, targetHeads: this.#feed.heads });
    await copyCounters(source, target);
    await this.project();
  }

  /** The number of commits in the target. */
  get size(): number {
    return sumOf(this.#feed.heads);
  }

  async end(): Promise<void> {
    await this.#projector.stop();
  }

  async #takeOver(commits: readonly Commit[]): Promise<void> {
    for (const part of partsUpToErasures(commits)) {
      await this.#feed.takeOver(part);
      await this.#eraseAgain(part.flatMap(erasedIn));
    }
  }

  async #eraseRecorded(): Promise<void> {
    const { accounts } = await recordedErasures(this.target);
    await this.#eraseAgain(accounts.map(({ accountId }) => accountId));
  }

  /** Erases accounts that were copied before they were erased in the source. */
  async #eraseAgain(accountIds: readonly number[]): Promise<void> {
    for (const accountId of accountIds) {
      if (!(await isLeft(this.target, accountId))) continue;
      await this.project();
      await eraseAccountData(this.target, accountId, this.run.signal);
    }
  }

  #missingOf(batch: readonly SourceCommit[]): Commit[] {
    return batch
      .map(({ commit }) => commit)
      .filter((commit) => !isOfOneStore(commit) && !this.#copiedIds.has(commit.command.id));
  }
}

/** Lets the target hand out no number that the source has handed out. */
async function copyCounters(
  source: Pick<LogAdapters, 'counter'>,
  target: Pick<StoreAdapters, 'counter'>,
): Promise<void> {
  for (const [name, next] of await source.counter.read()) await target.counter.skipTo(name, next);
}
