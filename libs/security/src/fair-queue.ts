/** A line of items, or the lines that its members form among themselves, by name, the next one to be served first. */
type Line<Item> = { size: number; readonly items: Item[]; readonly parts: Map<string, Line<Item>> };

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

  /** Takes the last item of the longest line of the longest group: whoever has most in the queue can spare it best. */
  dropOfLongest(): Item | undefined {
    return takeLongest(this.#whole);
  }
}

const newLine = <Item>(): Line<Item> => ({ size: 0, items: [], parts: new Map() });

function takeFirst<Item>(line: Line<Item>): Item | undefined {
  if (line.size === 0) return undefined;
  line.size -= 1;
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
  line.size -= 1;
  const longest = longestOf(line.parts);
  if (longest === undefined) return line.items.pop();
  const part = line.parts.get(longest)!;
  const item = takeLongest(part);
  if (part.size === 0) line.parts.delete(longest);
  return item;
}

function longestOf<Item>(parts: Line<Item>['parts']): string | undefined {
  let longest: string | undefined;
  let most = 0;
  for (const [group, { size }] of parts) if (size >= most) [longest, most] = [group, size];
  return longest;
}
