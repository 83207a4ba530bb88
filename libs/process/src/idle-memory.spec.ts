import { setImmediate as otherWork } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { collect, IdleMemory } from './idle-memory.js';

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
  memory.check(0.001);
  expect(collect).not.toHaveBeenCalled();
  memory.check(0.001);
  expect(heap.now).toBe(heap.live);
  heap.now += 15 * MEBIBYTE;
  checkForAMinute(memory);
  expect(collect).toHaveBeenCalledTimes(1);
  heap.now += MEBIBYTE;
  memory.check(0.001);
  expect(collect).toHaveBeenCalledTimes(2);
});

it('a heap that shrinks after a collection is compared with its smallest size', () => {
  const heap = { now: 80 * MEBIBYTE, live: 60 * MEBIBYTE };
  const { collect, memory } = memoryOf(heap);
  checkForAMinute(memory);
  heap.now = 40 * MEBIBYTE;
  checkForAMinute(memory);
  expect(collect).toHaveBeenCalledTimes(1);
  heap.now = 56 * MEBIBYTE;
  memory.check(0.001);
  expect(collect).toHaveBeenCalledTimes(2);
});

it('a thread whose heap grows all the time collects once a minute', () => {
  const heap = { now: 80 * MEBIBYTE, live: 35 * MEBIBYTE };
  const { collect, memory } = memoryOf(heap);
  for (let minute = 1; minute <= 3; minute++) {
    heap.now = 80 * MEBIBYTE;
    checkForAMinute(memory);
    heap.now = 80 * MEBIBYTE;
    expect(collect).toHaveBeenCalledTimes(minute);
  }
});

it('a collection that did not run is repeated', () => {
  const heap = { now: 80 * MEBIBYTE, live: 35 * MEBIBYTE };
  const { collect, memory } = memoryOf(heap);
  collect.mockReturnValueOnce(false);
  for (const utilization of [0.001, 0.001, 0.001]) memory.check(utilization);
  expect(heap.now).toBe(heap.live);
});

it('a thread that is busy or pauses for one check does not collect', () => {
  const { collect, memory } = memoryOf({ now: 80 * MEBIBYTE, live: 35 * MEBIBYTE });
  for (const utilization of [0.01, 0.001, 0.01, 0.001]) memory.check(utilization);
  expect(collect).not.toHaveBeenCalled();
});

it('a collection frees objects that nothing refers to', async () => {
  const garbage = new WeakRef({});
  // The task that creates a reference keeps its object alive.
  await otherWork();
  expect(collect()).toBe(true);
  expect(garbage.deref()).toBeUndefined();
});

function checkForAMinute(memory: IdleMemory): void {
  for (let check = 0; check < 12; check++) memory.check(0.001);
}
