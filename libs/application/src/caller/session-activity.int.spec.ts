import { SqliteSessionUses } from '@keyfold/projections/sqlite';
import { describe, expect, it } from 'vitest';
import { login } from '../../../domain/testing/session.events.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { watchedPort } from '../../testing/watched-port.js';
import { SessionActivity } from './session-activity.js';

const MINUTE = 60_000;

function watched() {
  const { clock, folder } = new EmbeddedService();
  const calls: string[] = [];
  let failure: Error | undefined;
  const port = watchedPort('SessionUses', new SqliteSessionUses(folder.views), (call) => {
    calls.push(call);
    if (failure) throw failure;
  });
  const startedAt = Math.floor(clock.now() / 1000);
  const session = { status: 'active', ...login({ startedAt, expiresAt: startedAt + 172_800 }) } as const;
  const activity = new SessionActivity(port, clock);
  const minutesUntilUse = async (of = activity) => ((await of.lastUses([session]))[0]! - startedAt) / 60;
  const fail = (error: Error | undefined) => (failure = error);
  return { clock, calls, port, session, activity, minutesUntilUse, fail };
}

describe('the activity of a session', () => {
  it('is its start until it is used five minutes later', async () => {
    const { clock, calls, session, activity, minutesUntilUse } = watched();
    activity.used(session);
    clock.advance(4 * MINUTE);
    activity.used(session);
    expect(calls).toEqual([]);
    expect(await minutesUntilUse()).toBe(0);
    clock.advance(MINUTE);
    activity.used(session);
    await expect.poll(() => minutesUntilUse()).toBe(5);
  });

  it('is recorded once in five minutes, whatever the number of requests', async () => {
    const { clock, calls, session, activity, minutesUntilUse } = watched();
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(MINUTE);
      for (let request = 0; request < 100; request++) activity.used(session);
    }
    expect(calls).toHaveLength(12);
    await expect.poll(() => minutesUntilUse()).toBe(60);
  });

  it('is the latest that any thread or gateway has recorded', async () => {
    const { clock, port, session, activity, minutesUntilUse } = watched();
    const other = new SessionActivity(port, clock);
    clock.advance(10 * MINUTE);
    activity.used(session);
    clock.advance(MINUTE);
    other.used(session);
    await expect.poll(() => minutesUntilUse()).toBe(11);
    expect(await minutesUntilUse(other)).toBe(11);
  });

  it('is lost if the store is unavailable, and the request is not disturbed', async () => {
    const { clock, session, activity, minutesUntilUse, fail } = watched();
    clock.advance(10 * MINUTE);
    fail(new Error('away'));
    activity.used(session);
    await Promise.resolve();
    fail(undefined);
    expect(await minutesUntilUse()).toBe(0);
    clock.advance(5 * MINUTE);
    activity.used(session);
    await expect.poll(() => minutesUntilUse()).toBe(15);
  });
});
