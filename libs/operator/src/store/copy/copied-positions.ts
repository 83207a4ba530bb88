import type { Commit } from '@keyfold/event-store';
import pLimit from 'p-limit';
import type { LogAdapters, StoreAdapters } from '@keyfold/wiring';
import { BATCH, CopyRefused, type Positions } from './source-feed.js';
import { isOfOneStore } from './target-feed.js';

export type Source = LogAdapters;

const PARALLEL_SLOTS = 16;
/** Commits at the end of a slot that are read at once. */
const TAIL = 100;

/** Throws `CopyRefused` if the target has commits that the source lacks. */
export async function requireCopyOf(source: Source, target: StoreAdapters, heads: Positions): Promise<void> {
  const filled = [...heads].filter(([, head]) => head > 0);
  await pLimit(PARALLEL_SLOTS).map(filled, async ([slot, head]) => {
    const [last] = await target.feed.readFeed(slot, head - 1, 1);
    const original = last && (await source.store.findCommand(last.command.id));
    // The first commits of all stores have the same ids. An erasure leaves only id and time.
    if (original && original.at === last.at) return;
    throw new CopyRefused(
      'the target has commits that the source lacks: it is a copy of another store, or the source was restored from a backup. Name an empty target, or empty this one',
    );
  });
}

/**
 * The copies of an earlier run: everything up to a position of each slot of the source, and the later commits with these command ids.
 * An interrupted batch leaves gaps if it is stored in several slots.
 */
export type Copied = Readonly<{ positions: Map<number, number>; ids: ReadonlySet<string> }>;

/** Finds out what was copied. Throws `StoreUnavailable`. */
export async function findCopied(
  source: Source,
  target: StoreAdapters,
  sourceHeads: Positions,
  targetHeads: Positions,
): Promise<Copied> {
  const last = await pLimit(PARALLEL_SLOTS).map([...sourceHeads], async ([slot, head]) => {
    return [slot, await lastCopied(source, target, slot, head)] as const;
  });
  if (target.feed.slots === 1) return { positions: new Map(last), ids: new Set() };
  // A batch is of one slot here, because the other store has several.
  const [[slot, position] = [0, 0]] = last;
  const complete = Math.max(0, position - BATCH);
  const ids = await pLimit(PARALLEL_SLOTS).map([...targetHeads], ([each, head]) =>
    idsAfter(source, target, each, head, complete),
  );
  return { positions: new Map([[slot, complete]]), ids: new Set(ids.flat()) };
}

/** Finds a copied commit that is followed by one that was not copied. */
async function lastCopied(source: Source, target: StoreAdapters, slot: number, head: number): Promise<number> {
  let copied = 0;
  let missing = head + 1;
  while (missing - copied > 1) {
    const middle = Math.floor((copied + missing) / 2);
    const commit = await firstOfBoth(source, slot, middle, missing);
    if (commit && (await target.store.findCommand(commit.command.id))) copied = commit.position;
    else missing = middle;
  }
  return copied;
}

/** Returns the first commit from a position on, and before another one, that can have a copy. */
async function firstOfBoth(source: Source, slot: number, from: number, before: number): Promise<Commit | undefined> {
  for (let position = from; position < before; position++) {
    const [commit] = await source.feed.readFeed(slot, position - 1, 1);
    if (!commit) return undefined;
    if (!isOfOneStore(commit)) return commit;
  }
  return undefined;
}

/** Returns the command ids at the end of a slot of the target, at least of all commits after a position of the source. */
async function idsAfter(
  source: Source,
  target: StoreAdapters,
  slot: number,
  head: number,
  position: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let end = head; end > 0;) {
    const from = Math.max(0, end - TAIL);
    const page = await target.feed.readFeed(slot, from, end - from);
    ids.push(...page.map(({ command }) => command.id));
    const first = page[0] && (await source.store.findCommand(page[0].command.id));
    if (!first || first.position <= position) break;
    end = from;
  }
  return ids;
}
