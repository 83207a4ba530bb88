import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Health } from './health.js';

/** Returns the health of a started process. */
function running(): Health {
  const health = new Health();
  health.started();
  return health;
}

function useFakeTimers() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

describe('readiness', () => {
  it('is false until the startup is complete', async () => {
    const health = new Health();
    expect(await health.readiness()).toEqual({ status: 'not ready', checks: { process: 'is starting' } });
    health.started();
    expect(await health.readiness()).toEqual({ status: 'ready', checks: {} });
  });

  it('lists every check, with the problem of those that fail', async () => {
    const health = running();
    health.add('store', () => {});
    expect(await health.readiness()).toEqual({ status: 'ready', checks: { store: 'ok' } });
    health.add('projector', () => Promise.reject(new Error('has not joined')));
    expect(await health.readiness()).toEqual({
      status: 'not ready',
      checks: { store: 'ok', projector: 'has not joined' },
    });
  });

  it('includes the warning of a passing check', async () => {
    const health = running();
    health.add('rabbitmq', () => 'it accepts no messages');
    expect(await health.readiness()).toEqual({
      status: 'ready',
      checks: { rabbitmq: 'ok, but it accepts no messages' },
    });
    expect(await health.passes('rabbitmq')).toBe(true);
  });

  it('says why the startup waits until a check replaces the reason', async () => {
    const health = new Health();
    health.setPending('store', 'MongoDB is not available');
    expect((await health.readiness()).checks).toMatchObject({ store: 'MongoDB is not available' });
    health.add('store', () => {});
    expect((await health.readiness()).checks).toMatchObject({ store: 'ok' });
  });

  it('is false from the start of the shutdown, without running checks', async () => {
    const health = running();
    health.add('store', () => new Promise(() => {}));
    health.stopping();
    health.started();
    expect(await health.readiness()).toEqual({ status: 'not ready', checks: { process: 'is stopping' } });
  });

  it('knows whether a single check passes', async () => {
    const health = running();
    expect(await health.passes('store')).toBe(false);
    health.setPending('store', 'MongoDB is not available');
    expect(await health.passes('store')).toBe(false);
    health.add('store', () => {});
    expect(await health.passes('store')).toBe(true);
    health.add('broker', () => Promise.reject(new Error('away')));
    expect(await health.passes('broker')).toBe(false);
  });

  it('runs each check once for all callers within a second', async () => {
    useFakeTimers();
    const check = vi.fn<() => void>(() => {});
    const health = running();
    health.add('store', check);
    await Promise.all([health.readiness(), health.readiness()]);
    await vi.advanceTimersByTimeAsync(999);
    await health.readiness();
    expect(check).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    await health.readiness();
    expect(check).toHaveBeenCalledTimes(2);
  });

  it('reuses the result of a slow check for a second after its end', async () => {
    useFakeTimers();
    const check = vi.fn<() => Promise<void>>(() => new Promise((done) => setTimeout(done, 1_500)));
    const health = running();
    health.add('store', check);
    void health.readiness();
    await vi.advanceTimersByTimeAsync(1_200);
    void health.readiness();
    await vi.advanceTimersByTimeAsync(1_200);
    expect(await health.readiness()).toMatchObject({ status: 'ready' });
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('waits at most 3 seconds for a check', async () => {
    useFakeTimers();
    const health = running();
    health.add('store', () => new Promise(() => {}));
    const readiness = health.readiness();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await readiness).toEqual({ status: 'not ready', checks: { store: 'no answer within 3 seconds' } });
  });
});
