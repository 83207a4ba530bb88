import { describe, expect, it, vi } from 'vitest';
import { Health } from './health.js';

/** A process that has started. */
function running(): Health {
  const health = new Health();
  health.started();
  return health;
}

describe('readiness', () => {
  it('is not there before the start is over', async () => {
    const health = new Health();
    expect(await health.readiness()).toEqual({ status: 'not ready', checks: { process: 'is starting' } });
    health.started();
    expect(await health.readiness()).toEqual({ status: 'ready', checks: {} });
  });

  it('names every check, and what is missing for those that fail', async () => {
    const health = running();
    health.add('store', () => {});
    expect(await health.readiness()).toEqual({ status: 'ready', checks: { store: 'ok' } });
    health.add('projector', () => Promise.reject(new Error('has not joined')));
    expect(await health.readiness()).toEqual({
      status: 'not ready',
      checks: { store: 'ok', projector: 'has not joined' },
    });
  });

  it('names the warning of a check that passes', async () => {
    const health = running();
    health.add('rabbitmq', () => 'it accepts no messages');
    expect(await health.readiness()).toEqual({
      status: 'ready',
      checks: { rabbitmq: 'ok, but it accepts no messages' },
    });
    expect(await health.passes('rabbitmq')).toBe(true);
  });

  it('says what the start waits for until a check takes its place', async () => {
    const health = new Health();
    health.waitsFor('store', 'MongoDB is not available');
    expect((await health.readiness()).checks).toMatchObject({ store: 'MongoDB is not available' });
    health.add('store', () => {});
    expect((await health.readiness()).checks).toMatchObject({ store: 'ok' });
  });

  it('ends with the first sign of the end, at once and whatever the checks would say', async () => {
    const health = running();
    health.add('store', () => new Promise(() => {}));
    health.stopping();
    health.started();
    expect(await health.readiness()).toEqual({ status: 'not ready', checks: { process: 'is stopping' } });
  });

  it('passes a check that is there and finds nothing missing', async () => {
    const health = running();
    expect(await health.passes('store')).toBe(false);
    health.waitsFor('store', 'MongoDB is not available');
    expect(await health.passes('store')).toBe(false);
    health.add('store', () => {});
    expect(await health.passes('store')).toBe(true);
    health.add('broker', () => Promise.reject(new Error('away')));
    expect(await health.passes('broker')).toBe(false);
  });

  it('shares a look among those who ask within a second', async () => {
    vi.useFakeTimers();
    try {
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
    } finally {
      vi.useRealTimers();
    }
  });

  it('tells the outcome of a slow look for a second after it is there', async () => {
    vi.useFakeTimers();
    try {
      const check = vi.fn<() => Promise<void>>(() => new Promise((done) => setTimeout(done, 1_500)));
      const health = running();
      health.add('store', check);
      void health.readiness();
      await vi.advanceTimersByTimeAsync(1_200);
      void health.readiness();
      await vi.advanceTimersByTimeAsync(1_200);
      expect(await health.readiness()).toMatchObject({ status: 'ready' });
      expect(check).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits for no check longer than 3 seconds', async () => {
    vi.useFakeTimers();
    try {
      const health = running();
      health.add('store', () => new Promise(() => {}));
      const readiness = health.readiness();
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await readiness).toEqual({ status: 'not ready', checks: { store: 'no answer within 3 seconds' } });
    } finally {
      vi.useRealTimers();
    }
  });
});
