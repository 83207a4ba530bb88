/**
 * A node of the tree of groups: its own items and its subgroups by name, next to be served first. `pushes`: how many items each subgroup
 * has received since this group was last empty.
 */
type Group<Item> = {
  size: number;
  readonly items: Item[];
  readonly subgroups: Map<string, Group<Item>>;
  readonly pushes: Map<string, number>;
};

/** Subgroups of a group whose pushes are counted, the latest ones. Bounds the memory if an attack never lets the queue run empty. */
const COUNTED_SUBGROUPS = 10_000;

/**
 * A queue that serves groups round robin. An item belongs to a group, a subgroup of it, and so on, and each level takes turns. A client
 * that fills its group therefore delays only its own items.
 */
export class FairQueue<Item> {
  readonly #root = newGroup<Item>();

  get size(): number {
    return this.#root.size;
  }

  /** Adds an item. `names`: its groups from the widest to the narrowest. */
  push(names: readonly string[], item: Item): void {
    let group = this.#root;
    group.size += 1;
    for (const name of names) {
      countPush(group.pushes, name);
      let subgroup = group.subgroups.get(name);
      if (!subgroup) group.subgroups.set(name, (subgroup = newGroup()));
      subgroup.size += 1;
      group = subgroup;
    }
    group.items.push(item);
  }

  next(): Item | undefined {
    return takeFirst(this.#root);
  }

  /**
   * Removes and returns the last item of the largest subgroup of the largest group. Among groups of equal size it chooses the one with the
   * most pushes, so that pushing again gains nothing, and then the next to be served, so that a newcomer stays.
   */
  dropFromLargest(): Item | undefined {
    return takeFromLargest(this.#root);
  }
}

const newGroup = <Item>(): Group<Item> => ({ size: 0, items: [], subgroups: new Map(), pushes: new Map() });

function shrink<Item>(group: Group<Item>): void {
  group.size -= 1;
  if (group.size === 0) group.pushes.clear();
}

function countPush(pushes: Map<string, number>, name: string): void {
  const count = (pushes.get(name) ?? 0) + 1;
  // Deleted first, so that the map is in the order of the latest pushes.
  pushes.delete(name);
  pushes.set(name, count);
  if (pushes.size > COUNTED_SUBGROUPS) pushes.delete(pushes.keys().next().value!);
}

function takeFirst<Item>(group: Group<Item>): Item | undefined {
  if (group.size === 0) return undefined;
  shrink(group);
  const first = group.subgroups.entries().next().value;
  if (!first) return group.items.shift();
  const [name, subgroup] = first;
  const item = takeFirst(subgroup);
  // Moved to the end, so that the other subgroups are served before it.
  group.subgroups.delete(name);
  if (subgroup.size > 0) group.subgroups.set(name, subgroup);
  return item;
}

function takeFromLargest<Item>(group: Group<Item>): Item | undefined {
  if (group.size === 0) return undefined;
  shrink(group);
  const name = largestOf(group);
  if (name === undefined) return group.items.pop();
  const subgroup = group.subgroups.get(name)!;
  const item = takeFromLargest(subgroup);
  if (subgroup.size === 0) group.subgroups.delete(name);
  return item;
}

function largestOf<Item>(group: Group<Item>): string | undefined {
  let largest: Readonly<{ name: string; size: number; pushes: number }> | undefined;
  for (const [name, { size }] of group.subgroups) {
    const pushes = group.pushes.get(name) ?? 0;
    if (!largest || size > largest.size || (size === largest.size && pushes > largest.pushes))
      largest = { name, size, pushes };
  }
  return largest?.name;
}
