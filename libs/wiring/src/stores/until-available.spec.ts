import { StoreUnavailable } from '@keyfold/event-store';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Health, createLog } from '@keyfold/process';
import { untilAvailable } from './until-available.js';

const log = createLog('silent', false);
const warn = vi.spyOn(log, 'warn').mockImplementation(() => undefined);
let health: Health;
let stop: AbortController;

beforeEach(() => {
  warn.mockClear();
  health = new Health();
  stop = new AbortController();
});

/** Fails with each of these reasons in turn, then succeeds. */
function failing(...reasons: string[]) {
  return vi.fn<() => Promise<string>>(async () => {
    const reason = reasons.shift();
    if (reason !== undefined) throw new StoreUnavailable(reason);
    return 'done';
  });
}

const run = <Result>(step: () => Promise<Result>) => untilAvailable(step, { health, log, stopping: stop.signal });

describe('a step of the startup', () => {
  it('is retried while the store is unavailable, and each new reason is logged once', async () => {
    const step = failing('away', 'away', 'no primary');
    expect(await run(step)).toBe('done');
    expect(step).toHaveBeenCalledTimes(4);
    expect(warn.mock.calls).toEqual([['startup is waiting: away'], ['startup is waiting: no primary']]);
  });

  it('reports the reason in the readiness', async () => {
    const waiting = run(failing('away'));
    await expect.poll(() => health.readiness()).toMatchObject({ checks: { store: 'away' } });
    await waiting;
  });

  it('that fails for another reason fails at once', async () => {
    const step = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('a standalone server')));
    await expect(run(step)).rejects.toThrow('a standalone server');
    expect(step).toHaveBeenCalledTimes(1);
  });

  it('ends when the process shuts down, even during a long attempt', async () => {
    const hanging = run(() => new Promise(() => {}));
    const pausing = run(() => Promise.reject(new StoreUnavailable('away')));
    await expect.poll(() => warn.mock.calls.length).toBe(1);
    stop.abort(new Error('the process is shutting down'));
    await expect(hanging).rejects.toThrow('the process is shutting down');
    await expect(pausing).rejects.toThrow(/abort/);
  });
});
