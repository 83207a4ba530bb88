/**
 * A line of items, or the lines that its members form among themselves, by name, the next one to be served first. `asked`: how many items
 * each member has sent since the line was last empty.
 */
type Line<Item> = {
  size: number;
  readonly items: Item[];
  readonly parts: Map<string, Line<Item>>;
  readonly asked: Map<string, number>;
};

/** Members of one line whose items are counted, the latest ones: an attack that never lets the line run empty must not fill the memory. */
const COUNTED_MEMBERS = 10_000;

/**
 * A queue in which every group has its turn. An item belongs to a group, to a group within that, and so on; each level is served round
 * robin, so that whoever fills a line waits behind its own items only.
 */
export class FairQueue<Item> {
  readonly #whole = newLine<Item>();

  get size(): number {
    return this.#whole.size;
  }

  /** `groups`: names from the widest group to the narrowest. */
  push(groups: readonly string[], item: Item): void {
    let line = this.#whole;
    line.size += 1;
    for (const group of groups) {
      countItem(line.asked, group);
      let part = line.parts.get(group);
      if (!part) line.parts.set(group, (part = newLine()));
      part.size += 1;
      line = part;
    }
    line.items.push(item);
  }

  /** Takes the item whose turn it is. */
  next(): Item | undefined {
    return takeFirst(this.#whole);
  }

  /**
   * Takes the last item of the longest line of the longest group: whoever has most in the queue can spare it best. Of groups as long, it is
   * the one that has asked most often, so that asking again does not help; of those, the one that is next, so that a newcomer stays.
   */
  dropOfLongest(): Item | undefined {
    return takeLongest(this.#whole);
  }
}

const newLine = <Item>(): Line<Item> => ({ size: 0, items: [], parts: new Map(), asked: new Map() });

function shorten<Item>(line: Line<Item>): void {
  line.size -= 1;
  if (line.size === 0) line.asked.clear();
}

function countItem(asked: Map<string, number>, group: string): void {
  const count = (asked.get(group) ?? 0) + 1;
  asked.delete(group);
  asked.set(group, count);
  if (asked.size > COUNTED_MEMBERS) asked.delete(asked.keys().next().value!);
}

function takeFirst<Item>(line: Line<Item>): Item | undefined {
  if (line.size === 0) return undefined;
  shorten(line);
  const first = line.parts.entries().next().value;
  if (!first) return line.items.shift();
  const [group, part] = first;
  const item = takeFirst(part);
  // Behind the others: they have their turns now.
  line.parts.delete(group);
  if (part.size > 0) line.parts.set(group, part);
  return item;
}

function takeLongest<Item>(line: Line<Item>): Item | undefined {
  if (line.size === 0) return undefined;
  shorten(line);
  const longest = longestOf(line);
  if (longest === undefined) return line.items.pop();
  const part = line.parts.get(longest)!;
  const item = takeLongest(part);
  if (part.size === 0) line.parts.delete(longest);
  return item;
}

function longestOf<Item>({ parts, asked }: Line<Item>): string | undefined {
  let longest: Readonly<{ group: string; size: number; items: number }> | undefined;
  for (const [group, { size }] of parts) {
    const items = asked.get(group) ?? 0;
    if (!longest || size > longest.size || (size === longest.size && items > longest.items))
      longest = { group, size, items };
  }
  return longest?.group;
}
