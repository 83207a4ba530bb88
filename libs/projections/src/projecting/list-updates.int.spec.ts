import { StoreUnavailable } from '@keyfold/event-store';
import { expect, it, onTestFinished, vi } from 'vitest';
import { registered, renamed } from '../../../domain/testing/account.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { accountStream } from '../loading/stream-ref.js';
import { ProjectionRetry } from './list-updates.js';

const PAUSE = 5;
const [ann, bea] = [accountStream(7), accountStream(8)];

/** Opens projections of two streams on real files. Writing documents fails until `restoreWrites` is called. */
async function failingWrites(maxWaiting?: number) {
  const projections = new EmbeddedProjections();
  await projections.append(ann, registered('ann'));
  await projections.append(bea, registered('bea', { accountId: 8 }));
  const put = vi.spyOn(projections.readModels, 'put').mockRejectedValue(new StoreUnavailable('away'));
  const recovered = vi.fn<() => void>();
  const retry = new ProjectionRetry(projections.newProjection(), recovered, PAUSE, maxWaiting);
  onTestFinished(() => void retry.stop());
  const names = async () => {
    const found = await projections.readModels.get([ann, bea]);
    return [...found.values()].map(({ state }) => (state as { username: string }).username).toSorted();
  };
  return { projections, put, recovered, retry, names, restoreWrites: () => put.mockRestore() };
}

it('writes the documents once the store is available, including commits stored in the meantime', async () => {
  const { projections, put, recovered, retry, names, restoreWrites } = await failingWrites();
  expect([ann, bea, ann].map((ref) => retry.add(ref))).toEqual([true, true, true]);
  await expect.poll(() => put.mock.calls.length).toBeGreaterThan(4);
  expect(await names()).toEqual([]);
  await projections.append(ann, renamed('ann', 'anna'));
  restoreWrites();
  await expect.poll(() => recovered.mock.calls.length).toBe(1);
  expect(await names()).toEqual(['anna', 'bea']);
  expect(await retry.stop()).toBe(0);
});

it('also projects a commit that becomes visible just after the first success', async () => {
  const { projections, put, recovered, retry, names } = await failingWrites();
  put.mockRestore();
  const real = projections.readModels.put.bind(projections.readModels);
  const late = vi.spyOn(projections.readModels, 'put').mockImplementationOnce(async (ref, document) => {
    await real(ref, document);
    await projections.append(ann, renamed('ann', 'anna'));
  });
  retry.add(ann);
  await expect.poll(() => recovered.mock.calls.length).toBe(1);
  expect(late).toHaveBeenCalledTimes(2);
  expect(await names()).toEqual(['anna']);
});

it('writes no document for a stream whose first commit was not stored', async () => {
  const { projections, put, recovered, retry } = await failingWrites();
  put.mockRestore();
  const absent = accountStream(9);
  retry.add(absent);
  await expect.poll(() => recovered.mock.calls.length).toBe(1);
  expect(await projections.readModels.get([absent])).toEqual(new Map());
});

it('accepts no further stream while the maximum number waits', async () => {
  const { recovered, retry, names, restoreWrites } = await failingWrites(1);
  expect([ann, bea, ann].map((ref) => retry.add(ref))).toEqual([true, false, true]);
  restoreWrites();
  await expect.poll(() => recovered.mock.calls.length).toBe(1);
  expect(await names()).toEqual(['ann']);
  expect(retry.add(bea)).toBe(true);
  await expect.poll(() => recovered.mock.calls.length).toBe(2);
  expect(await names()).toEqual(['ann', 'bea']);
});

it('stop() retries immediately and returns the number of streams that remain', async () => {
  const hour = 3_600_000;
  const { projections, put, names, restoreWrites } = await failingWrites();
  const ending = () => new ProjectionRetry(projections.newProjection(), () => undefined, hour);
  const unlucky = ending();
  unlucky.add(ann);
  expect(await unlucky.stop()).toBe(1);
  expect(put).toHaveBeenCalledTimes(1);
  restoreWrites();
  const lucky = ending();
  lucky.add(ann);
  expect(await lucky.stop()).toBe(0);
  expect(await names()).toEqual(['ann']);
  expect(lucky.add(bea)).toBe(false);
});
