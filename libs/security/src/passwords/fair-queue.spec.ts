import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  // `a/b 1` is an item of the subgroup b of a.
  for (const item of items) queue.push(item.split(' ')[0]!.split('/').filter(Boolean), item);
  return queue;
}
const drained = (take: () => string | undefined) => {
  const taken: string[] = [];
  for (let item = take(); item !== undefined; item = take()) taken.push(item);
  return taken;
};

describe('a fair queue', () => {
  it('serves the items of one group in order', () => {
    const queue = queueOf('a 1', 'a 2', 'a 3');
    expect(queue.size).toBe(3);
    expect(drained(() => queue.next())).toEqual(['a 1', 'a 2', 'a 3']);
    expect(queue.size).toBe(0);
  });

  it('serves groups round robin, whatever their size', () => {
    const queue = queueOf('a 1', 'a 2', 'a 3', 'a 4', 'b 1', 'c 1', 'c 2');
    expect(drained(() => queue.next())).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'c 2', 'a 3', 'a 4']);
  });

  it('serves the subgroups of a group round robin', () => {
    const queue = queueOf('net/x 1', 'net/y 1', 'net/z 1', 'net/x 2', 'other/v 1');
    expect(drained(() => queue.next())).toEqual(['net/x 1', 'other/v 1', 'net/y 1', 'net/z 1', 'net/x 2']);
  });

  it('serves a new group after one item of each other group', () => {
    const queue = queueOf('a 1', 'a 2', 'b 1', 'b 2');
    expect(queue.next()).toBe('a 1');
    queue.push(['late'], 'late 1');
    expect(drained(() => queue.next())).toEqual(['b 1', 'a 2', 'late 1', 'b 2']);
  });

  it('drops the last item of the largest subgroup of the largest group', () => {
    const queue = queueOf('a/x 1', 'a/y 1', 'a/y 2', 'b/v 1', 'b/v 2');
    expect(drained(() => queue.dropFromLargest())).toEqual(['a/y 2', 'a/y 1', 'b/v 2', 'a/x 1', 'b/v 1']);
  });

  it('drops the item that waited longest if all groups have the same size, so that a newcomer stays', () => {
    const queue = queueOf('a 1', 'b 1', 'c 1');
    expect(queue.dropFromLargest()).toBe('a 1');
    expect(drained(() => queue.next())).toEqual(['b 1', 'c 1']);
  });

  it('drops from the group with the most pushes if several have the same size', () => {
    const queue = queueOf('a 1', 'b 1', 'c 1');
    expect([queue.next(), queue.next()]).toEqual(['a 1', 'b 1']);
    queue.push(['b'], 'b 2');
    queue.push(['d'], 'd 1');
    expect(queue.dropFromLargest()).toBe('b 2');
  });

  it('forgets the pushes when it is empty', () => {
    const queue = queueOf('a 1', 'b 1', 'b 2', 'b 3');
    drained(() => queue.next());
    for (const group of ['a', 'b']) queue.push([group], `${group} 4`);
    expect(queue.dropFromLargest()).toBe('a 4');
  });

  it('serves a newcomer even if 200 others push again as soon as they are served or dropped', () => {
    const queue = new FairQueue<string>();
    const networks = Array.from({ length: 200 }, (_, n) => `network ${n}`);
    const idle = new Set(networks);
    const push = (network: string) => {
      queue.push([network], network);
      idle.delete(network);
      if (queue.size > 40) idle.add(queue.dropFromLargest()!);
    };
    const served: string[] = [];
    for (let round = 0; round < 100 && !served.includes('newcomer'); round++) {
      for (const network of networks) if (idle.has(network)) push(network);
      if (round === 50) push('newcomer');
      served.push(queue.next()!);
      idle.add(served.at(-1)!);
    }
    expect(served.at(-1)).toBe('newcomer');
  });

  it('returns undefined when it is empty, and stays usable', () => {
    const queue = queueOf();
    expect([queue.next(), queue.dropFromLargest(), queue.size]).toEqual([undefined, undefined, 0]);
    queue.push(['a'], 'a 1');
    expect(queue.next()).toBe('a 1');
  });

  it('accepts items without a group', () => {
    expect(queueOf(' 1').next()).toBe(' 1');
  });
});
