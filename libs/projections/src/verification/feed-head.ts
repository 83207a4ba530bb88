import type { EventStore } from '@keyfold/event-store';

/**
 * The last position of a slot, behind holes or not. It is searched for from a checkpoint on: two questions when nothing came after
 * that, else about twice as many as the distance has binary digits. A checkpoint that the feed does not have is no help.
 */
export async function feedHead(store: EventStore, slot: number, checkpoint: number): Promise<number> {
  const [commit] = checkpoint > 0 ? await store.readFeed(slot, checkpoint - 1, 1) : [];
  const from = commit?.position === checkpoint ? checkpoint : 0;
  const goesBeyond = async (position: number) => (await store.slotsWithNews(new Map([[slot, position]]))).length > 0;
  let reached = from;
  let step = 1;
  while (await goesBeyond(reached)) {
    reached += step;
    step *= 2;
  }
  if (reached === from) return from;
  // The head lies after the last position that was gone beyond, and not after the one that was not.
  let below = reached - step / 2;
  while (below + 1 < reached) {
    const middle = Math.floor((below + reached) / 2);
    if (await goesBeyond(middle)) below = middle;
    else reached = middle;
  }
  return reached;
}
