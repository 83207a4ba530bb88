import { StoreUnavailable } from '@keyfold/event-store';
import { LoginHours, type LoginHour } from '@keyfold/security';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn } from '../../testing/login-client.js';
import { SettableClock } from '../../testing/settable-clock.js';
import { RecentLogins, startOfHour } from './recent-logins.js';

const HOUR_MS = 3_600_000;

/** Returns the last hour of the service after what this thread has counted is stored. */
async function lastHour({ recentLogins }: EmbeddedService): Promise<Omit<LoginHour, 'hour'>> {
  await recentLogins.onApplicationShutdown();
  const { accepted, refused } = (await recentLogins.lastDay()).at(-1)!;
  return { accepted, refused };
}

class RecordedHours extends LoginHours {
  readonly added: LoginHour[][] = [];
  isAway = false;
  async add(counts: readonly LoginHour[]): Promise<void> {
    if (this.isAway) throw new StoreUnavailable('away');
    this.added.push([...counts]);
  }
  async between(): Promise<LoginHour[]> {
    return this.added.flat();
  }
}

describe('the logins of an hour', () => {
  it('are accepted once, and refused if wrong or throttled', async () => {
    const { service, client } = await clientWithAnn();
    await client.outcome();
    for (let n = 0; n < 7; n++) await client.outcome({ password: 'wrong' });
    expect(client.attempts).toMatchObject({ 'password refused': 5, 'password throttled': 2 });
    expect(await lastHour(service)).toEqual({ accepted: 1, refused: 7 });
  });

  it('with two-factor on are decided by the code, and a missing one decides nothing', async () => {
    const { service, client } = await clientWithAnn();
    await client.enableTwoFactor(7);
    for (const code of ['', client.wrongCode()]) await client.outcome({ code });
    service.clock.advance(60_000);
    await client.logIn({ code: client.code() });
    expect(await lastHour(service)).toEqual({ accepted: 1, refused: 1 });
  });
});

describe('recent logins', () => {
  function counting() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const [hours, clock] = [new RecordedHours(), new SettableClock()];
    return { hours, clock, recent: new RecentLogins(hours, clock) };
  }

  it('are stored together after three seconds', async () => {
    const { hours, clock, recent } = counting();
    const hour = Math.floor(clock.now() / HOUR_MS);
    for (let n = 0; n < 1_000; n++) recent.add(n % 10 === 0 ? 'refused' : 'accepted');
    await vi.advanceTimersByTimeAsync(2_999);
    expect(hours.added).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(hours.added).toEqual([[{ hour, accepted: 900, refused: 100 }]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hours.added).toHaveLength(1);
  });

  it('of an outage are lost, and later ones are stored', async () => {
    const { hours, recent } = counting();
    hours.isAway = true;
    recent.add('accepted');
    await vi.advanceTimersByTimeAsync(3_000);
    hours.isAway = false;
    recent.add('refused');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(hours.added).toMatchObject([[{ accepted: 0, refused: 1 }]]);
  });

  it('are stored at the shutdown', async () => {
    const { hours, recent } = counting();
    recent.add('accepted');
    await recent.onApplicationShutdown();
    expect(hours.added).toMatchObject([[{ accepted: 1, refused: 0 }]]);
  });

  it('of a day are 24 hours, with zeros for those without any', async () => {
    const { hours, clock, recent } = counting();
    const now = Math.floor(clock.now() / HOUR_MS);
    hours.added.push([{ hour: now - 23, accepted: 1, refused: 2 }]);
    const day = await recent.lastDay();
    expect(day.map(({ hour }) => hour)).toEqual(Array.from({ length: 24 }, (_, index) => now - 23 + index));
    expect(day.slice(0, 2)).toEqual([
      { hour: now - 23, accepted: 1, refused: 2 },
      { hour: now - 22, accepted: 0, refused: 0 },
    ]);
    expect(startOfHour(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});
