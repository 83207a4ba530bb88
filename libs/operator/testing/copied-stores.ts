import type { Commit } from '@keyfold/event-store';
import { relayName } from '@keyfold/messaging';
import type { StoreAdapters } from '@keyfold/wiring';

/** A commit with its slot. */
export type Placed = Readonly<{ slot: number; commit: Commit }>;

/** Returns all commits of a store, in the order of each slot. */
export async function allCommits({ feed }: Pick<StoreAdapters, 'feed'>): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const [slot, head] of await feed.readHeads()) {
    for (let after = 0; after < head;) {
      const page = await feed.readFeed(slot, after, 500);
      if (page.length === 0) throw new Error(`position ${after + 1} of slot ${slot} is missing`);
      found.push(...page.map((commit) => ({ slot, commit })));
      after = page.at(-1)!.position;
    }
  }
  return found;
}

/** Returns everything that a copy keeps of the commits of a store, by their command ids. */
export async function keptCommits(store: Pick<StoreAdapters, 'feed'>): Promise<Map<string, object>> {
  const commits = (await allCommits(store)).filter(({ commit }) => commit.command.type !== 'CloseHole');
  return new Map(
    commits.map(({ commit: { position: _position, partition, ...commit } }) => [
      commit.command.id,
      { ...commit, partition: commit.events.length === 0 ? 'void' : partition },
    ]),
  );
}

/** Returns the command ids of each partition in their order. */
export async function orders(store: Pick<StoreAdapters, 'feed'>): Promise<Map<string, string[]>> {
  const own = (await allCommits(store)).map(({ commit }) => commit).filter(({ events }) => events.length > 0);
  const groups = Map.groupBy(own, ({ partition }) => partition);
  return new Map([...groups].map(([partition, commits]) => [partition, commits.map(({ command }) => command.id)]));
}

/** Returns the command ids of the commits that the relay of a store has not sent; undefined if it has no relay. */
export async function unsentCommits(
  store: Pick<StoreAdapters, 'feed' | 'relayLeases' | 'parkedRelays'>,
): Promise<string[] | undefined> {
  const progress = new Map((await store.relayLeases.progress(relayName)).map(({ slot, position }) => [slot, position]));
  if (progress.size === 0) return undefined;
  const parked = new Map((await store.parkedRelays.all()).map(({ partition, position }) => [partition, position]));
  return (await allCommits(store))
    .filter(({ commit: { events } }) => events.length > 0)
    .filter(
      ({ slot, commit: { position, partition } }) =>
        position > (progress.get(slot) ?? 0) || position >= (parked.get(partition) ?? Infinity),
    )
    .map(({ commit }) => commit.command.id)
    .toSorted();
}
