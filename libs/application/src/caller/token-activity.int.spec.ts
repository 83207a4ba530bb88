import type { NamedSecret } from '@keyfold/domain';
import { SqliteTokenUses } from '@keyfold/projections/sqlite';
import { describe, expect, it } from 'vitest';
import { login } from '../../../domain/testing/session.events.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { watchedPort } from '../../testing/watched-port.js';
import { TokenActivity } from './token-activity.js';

const MINUTE = 60_000;
/** A use is stored in the background. */
const STORED = { timeout: 30_000 };

function watched() {
  const { clock, folder } = new EmbeddedService();
  const calls: string[] = [];
  let failure: Error | undefined;
  const port = watchedPort('TokenUses', new SqliteTokenUses(folder.views), (call) => {
    calls.push(call);
    if (failure) throw failure;
  });
  const startedAt = Math.floor(clock.now() / 1000);
  const session = { status: 'active', ...login({ startedAt, expiresAt: startedAt + 172_800 }) } as const;
  const activity = new TokenActivity(port, clock);
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
    await expect.poll(() => minutesUntilUse(), STORED).toBe(5);
  });

  it('is recorded once in five minutes, whatever the number of requests', async () => {
    const { clock, calls, session, activity, minutesUntilUse } = watched();
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(MINUTE);
      for (let request = 0; request < 100; request++) activity.used(session);
    }
    expect(calls).toHaveLength(12);
    await expect.poll(() => minutesUntilUse(), STORED).toBe(60);
  });

  it('is the latest that any thread or gateway has recorded', async () => {
    const { clock, port, session, activity, minutesUntilUse } = watched();
    const other = new TokenActivity(port, clock);
    clock.advance(10 * MINUTE);
    activity.used(session);
    clock.advance(MINUTE);
    other.used(session);
    await expect.poll(() => minutesUntilUse(), STORED).toBe(11);
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
    await expect.poll(() => minutesUntilUse(), STORED).toBe(15);
  });
});

describe('the activity of an access token', () => {
  const token: NamedSecret = { id: 7_340_033, name: 'backup', createdAt: 0, expiresAt: null, hash: 'hash' };

  it('is unknown before its first use, which is recorded at once', async () => {
    const { clock, activity } = watched();
    const lastUse = async (used: NamedSecret) =>
      (await activity.lastUsesOfSecrets('access-token', [used])).get(used.id);
    expect(await lastUse(token)).toBeUndefined();
    activity.usedSecret('access-token', token);
    const at = Math.floor(clock.now() / 1000);
    await expect.poll(() => lastUse(token), STORED).toBe(at);
    clock.advance(4 * MINUTE);
    activity.usedSecret('access-token', token);
    expect(await lastUse(token)).toBe(at);
    clock.advance(MINUTE);
    activity.usedSecret('access-token', token);
    await expect.poll(() => lastUse(token), STORED).toBe(at + 300);
    expect(await lastUse({ ...token, id: 7_340_034 })).toBeUndefined();
  });

  it('is kept until the token expires, or for ten years', async () => {
    const { clock, activity, port } = watched();
    const day = 24 * 60 * MINUTE;
    const expiring = { ...token, id: 7_340_034, expiresAt: clock.now() + day };
    activity.usedSecret('access-token', token);
    activity.usedSecret('access-token', expiring);
    await expect
      .poll(async () => (await activity.lastUsesOfSecrets('access-token', [token, expiring])).size, STORED)
      .toBe(2);
    clock.advance(day);
    await port.record({ token: 'any', at: Math.floor(clock.now() / 1000), until: Number.MAX_SAFE_INTEGER });
    expect(await activity.lastUsesOfSecrets('access-token', [token, expiring])).toEqual(
      new Map([[token.id, expect.any(Number)]]),
    );
    clock.advance(3_653 * day);
    await port.record({ token: 'any', at: Math.floor(clock.now() / 1000), until: Number.MAX_SAFE_INTEGER });
    expect(await activity.lastUsesOfSecrets('access-token', [token])).toEqual(new Map());
  });
});
