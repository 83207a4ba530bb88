import { FEED_PAGE, type Commit, type CommitFeed } from '@keyfold/event-store';

/** A copy cannot start or continue. The message says what to do. */
export class CopyRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CopyRefused';
  }
}

/** Maximum numbers of commits and of characters of their events that are copied at once. */
export const BATCH = 2_000;
const BATCH_CHARACTERS = 4_000_000;
/** Commits that are read at once from each of several slots. */
const SLOT_PAGE = 100;

/** Positions by slot. */
export type Positions = ReadonlyMap<number, number>;

/** A commit and its slot in the source. */
export type SourceCommit = Readonly<{ slot: number; commit: Commit }>;

export const sumOf = (positions: Positions): number => [...positions.values()].reduce((sum, each) => sum + each, 0);

/**
 * Yields the commits after some positions up to the heads, in batches: in the order of each slot, and those of different slots by time. Throws
 * `StoreUnavailable`, `CopyRefused`.
 */
export async function* readBatches(
  feed: CommitFeed,
  after: Positions,
  heads: Positions,
): AsyncGenerator<SourceCommit[]> {
  const pageSize = feed.slots === 1 ? FEED_PAGE : SLOT_PAGE;
  const readers = [...heads].map(([slot, head]) => new SlotPages(feed, slot, after.get(slot) ?? 0, head, pageSize));
  let batch: SourceCommit[] = [];
  let characters = 0;
  for (;;) {
    let earliest: SlotPages | undefined;
    for (const reader of readers) {
      await reader.fill();
      if (reader.next && (!earliest?.next || reader.next.at < earliest.next.at)) earliest = reader;
    }
    if (!earliest?.next) break;
    const { next: commit, slot } = earliest;
    const length = JSON.stringify(commit.events).length;
    if (batch.length === BATCH || (batch.length > 0 && characters + length > BATCH_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push({ slot, commit });
    characters += length;
    earliest.pass();
  }
  if (batch.length > 0) yield batch;
}

/** The commits of one slot up to a head, read in pages. */
class SlotPages {
  #page: readonly Commit[] = [];
  #index = 0;

  constructor(
    private readonly feed: CommitFeed,
    readonly slot: number,
    private position: number,
    private readonly head: number,
    private readonly pageSize: number,
  ) {}

  /** The next commit; undefined at the head. Call `fill` first. */
  get next(): Commit | undefined {
    return this.#page[this.#index];
  }

  pass(): void {
    this.#index += 1;
  }

  async fill(): Promise<void> {
    if (this.next || this.position >= this.head) return;
    const limit = Math.min(this.pageSize, this.head - this.position);
    this.#page = await this.feed.readFeed(this.slot, this.position, limit);
    this.#index = 0;
    const last = this.#page.at(-1);
    if (!last)
      throw new CopyRefused(
        `position ${this.position + 1} of slot ${this.slot} is missing. Start a worker for some seconds, which closes the gap, and run the command again`,
      );
    this.position = last.position;
  }
}
