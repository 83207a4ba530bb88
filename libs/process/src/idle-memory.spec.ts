import { expect, it, vi } from 'vitest';
import { collectWhenIdle, IdleMemory } from './idle-memory.js';

const MEBIBYTE = 1024 * 1024;

function memoryOf(heap: { now: number; live: number }) {
  const collect = vi.fn<() => boolean>(() => {
    heap.now = heap.live;
    return true;
  });
  return { collect, memory: new IdleMemory(() => heap.now, collect) };
}

it('a thread that stays idle collects once, and again only after its heap has grown', () => {
  const heap = { now: 80 * MEBIBYTE, live: 35 * MEBIBYTE };
  const { collect, memory } = memoryOf(heap);
  memory.check(0.01);
  expect(collect).not.toHaveBeenCalled();
  memory.check(0.01);
  expect(heap.now).toBe(heap.live);
  heap.now += 15 * MEBIBYTE;
  memory.check(0.01);
  expect(collect).toHaveBeenCalledTimes(1);
  heap.now += MEBIBYTE;
  memory.check(0.01);
  expect(collect).toHaveBeenCalledTimes(2);
});

it('a collection that did not run is repeated', () => {
  const heap = { now: 80 * MEBIBYTE, live: 35 * MEBIBYTE };
  const { collect, memory } = memoryOf(heap);
  collect.mockReturnValueOnce(false);
  for (const utilization of [0.01, 0.01, 0.01]) memory.check(utilization);
  expect(heap.now).toBe(heap.live);
});

it('a thread that is busy or pauses for one check does not collect', () => {
  const { collect, memory } = memoryOf({ now: 80 * MEBIBYTE, live: 35 * MEBIBYTE });
  for (const utilization of [0.05, 0.01, 0.05, 0.01]) memory.check(utilization);
  expect(collect).not.toHaveBeenCalled();
});

it('the collection is a full one of V8, which alone clears weak references', async () => {
  const garbage = new WeakRef({});
  collectWhenIdle(50);
  await vi.waitUntil(() => garbage.deref() === undefined, { timeout: 30_000 });
});
