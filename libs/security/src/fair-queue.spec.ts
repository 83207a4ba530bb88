import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  // `a/b 1` is the item `a/b 1` of the group b within a.
  for (const item of items) queue.push(item.split(' ')[0]!.split('/').filter(Boolean), item);
  return queue;
}
const drained = (take: () => string | undefined) => {
  const taken: string[] = [];
  for (let item = take(); item !== undefined; item = take()) taken.push(item);
  return taken;
};

describe('a fair queue', () => {
  it('serves one group in the order in which its items came', () => {
    const queue = queueOf('a 1', 'a 2', 'a 3');
    expect(queue.size).toBe(3);
    expect(drained(() => queue.next())).toEqual(['a 1', 'a 2', 'a 3']);
    expect(queue.size).toBe(0);
  });

  it('serves groups in turn, however many items one of them has', () => {
    const queue = queueOf('a 1', 'a 2', 'a 3', 'a 4', 'b 1', 'c 1', 'c 2');
    expect(drained(() => queue.next())).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'c 2', 'a 3', 'a 4']);
  });

  it('serves the groups within a group in turn', () => {
    const queue = queueOf('net/x 1', 'net/y 1', 'net/z 1', 'net/x 2', 'other/v 1');
    expect(drained(() => queue.next())).toEqual(['net/x 1', 'other/v 1', 'net/y 1', 'net/z 1', 'net/x 2']);
  });

  it('lets a group that comes later wait for one item of each of the others', () => {
    const queue = queueOf('a 1', 'a 2', 'b 1', 'b 2');
    expect(queue.next()).toBe('a 1');
    queue.push(['late'], 'late 1');
    expect(drained(() => queue.next())).toEqual(['b 1', 'a 2', 'late 1', 'b 2']);
  });

  it('drops the last item of the longest line of the longest group', () => {
    const queue = queueOf('a/x 1', 'a/y 1', 'a/y 2', 'b/v 1', 'b/v 2');
    expect(drained(() => queue.dropOfLongest())).toEqual(['a/y 2', 'a/y 1', 'b/v 2', 'a/x 1', 'b/v 1']);
  });

  it('drops what waited longest when all lines are equally long, so that a newcomer stays', () => {
    const queue = queueOf('a 1', 'b 1', 'c 1');
    expect(queue.dropOfLongest()).toBe('a 1');
    expect(drained(() => queue.next())).toEqual(['b 1', 'c 1']);
  });

  it('drops of equally long lines that of the group which has asked most often', () => {
    const queue = queueOf('a 1', 'b 1', 'c 1');
    expect([queue.next(), queue.next()]).toEqual(['a 1', 'b 1']);
    queue.push(['b'], 'b 2');
    queue.push(['d'], 'd 1');
    expect(queue.dropOfLongest()).toBe('b 2');
  });

  it('forgets who asked when it is empty', () => {
    const queue = queueOf('a 1', 'b 1', 'b 2', 'b 3');
    drained(() => queue.next());
    for (const group of ['a', 'b']) queue.push([group], `${group} 4`);
    expect(queue.dropOfLongest()).toBe('a 4');
  });

  it('serves a newcomer although two hundred others ask again at once whenever they are served or dropped', () => {
    const queue = new FairQueue<string>();
    const networks = Array.from({ length: 200 }, (_, n) => `network ${n}`);
    const idle = new Set(networks);
    const ask = (network: string) => {
      queue.push([network], network);
      idle.delete(network);
      if (queue.size > 40) idle.add(queue.dropOfLongest()!);
    };
    const served: string[] = [];
    for (let turn = 0; turn < 100 && !served.includes('newcomer'); turn++) {
      for (const network of networks) if (idle.has(network)) ask(network);
      if (turn === 50) ask('newcomer');
      served.push(queue.next()!);
      idle.add(served.at(-1)!);
    }
    expect(served.at(-1)).toBe('newcomer');
  });

  it('has nothing when it is empty, and works on', () => {
    const queue = queueOf();
    expect([queue.next(), queue.dropOfLongest(), queue.size]).toEqual([undefined, undefined, 0]);
    queue.push(['a'], 'a 1');
    expect(queue.next()).toBe('a 1');
  });

  it('keeps items that belong to no group', () => {
    expect(queueOf(' 1').next()).toBe(' 1');
  });
});
