import type { CommitFeed, FeedLeases, SlotProgress } from '@keyfold/event-store';
import type { ReadModelStore } from '../read-model-store.js';
import { keyOwnersIn, prefixOf } from './key-owners.js';
import { projectorName } from './projector.js';

/** Commits that one search reads behind the index, and how many it reads at a time. */
const MAX_BEHIND = 10_000;
const PAGE = 500;

/** The index of SSH keys lacks so many commits that a search would take too long. The projector is reading them. */
export class KeyIndexBehind extends Error {
  readonly retryAfterSeconds = 5;

  constructor(readonly commits: number) {
    super(`the index of SSH keys lacks the latest ${commits} commits`);
    this.name = 'KeyIndexBehind';
  }
}

/** Finds the accounts of an SSH key: in the index that the projector writes, and in the commits that it has not read yet. */
export class KeyOwnerSearch {
  /** Tests set `maxBehind`, in order to reach it. */
  constructor(
    private readonly feed: CommitFeed,
    private readonly leases: Pick<FeedLeases, 'progress'>,
    private readonly readModels: ReadModelStore,
    private readonly maxBehind = MAX_BEHIND,
  ) {}

  /**
   * Returns the ids of the first `limit` accounts above `after`, in ascending order. They include every account that has had a key with
   * this fingerprint, of either form, since before the call. Some may have removed it, or have a similar one.
   *
   * @throws `KeyIndexBehind`, `StoreUnavailable`.
   */
  async candidates(fingerprint: string, after: number, limit: number): Promise<number[]> {
    // First: the projector writes the index before it moves its checkpoint.
    const progress = await this.leases.progress(projectorName);
    const prefix = prefixOf(fingerprint);
    const indexed = await this.readModels.keyOwners(prefix, after, limit);
    const latest = await this.#inLatestCommits(prefix, progress);
    const found = new Set([...indexed, ...latest.filter((accountId) => accountId > after)]);
    return [...found].toSorted((one, other) => one - other).slice(0, limit);
  }

  /** Returns the accounts that add the key in the commits after the positions. */
  async #inLatestCommits(prefix: number, progress: readonly SlotProgress[]): Promise<number[]> {
    const positions = new Map(progress.map(({ slot, position }) => [slot, position]));
    const behind = [...(await this.feed.readHeads())].map(([slot, head]) => {
      const from = positions.get(slot) ?? 0;
      return { slot, from, head, count: Math.max(0, head - from) };
    });
    const commits = behind.reduce((sum, { count }) => sum + count, 0);
    if (commits > this.maxBehind) throw new KeyIndexBehind(commits);
    const found: number[] = [];
    for (const { slot, from, head } of behind) {
      for (let position = from; position < head;) {
        const page = await this.feed.readFeed(slot, position, PAGE);
        for (const owner of keyOwnersIn(page)) {
          if (owner.prefixes.includes(prefix)) found.push(owner.accountId);
        }
        // Commits behind a hole count too. An append that is still to fill the hole was not acknowledged before the call.
        position = page.at(-1)?.position ?? position + 1;
      }
    }
    return found;
  }
}
