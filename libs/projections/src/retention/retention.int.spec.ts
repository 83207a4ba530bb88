import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import { SessionHistory } from '../../testing/session-history.js';
import type { Backend } from '../../testing/verified.js';
import { sessions } from '../read-model.js';
import { Retention, retentionName } from './retention.js';
import type { CompactedCount } from './session-compaction.js';

/** Kept so shortly that it is looked again every third of a second. */
const SESSION_DAYS = 0.0004;
const POLLING = { timeout: 20_000, interval: 50 };

const backends: readonly (readonly [string, () => Promise<Backend>])[] = [
  ['SQLite', async () => new EmbeddedProjections()],
  ['MongoDB', () => MongoProjections.open()],
];

describe.each(backends)('the retention of sessions on %s', (_, open) => {
  /** Stopped after the running test. */
  function newRetention(history: SessionHistory) {
    const compacted: CompactedCount[] = [];
    const errors: unknown[] = [];
    const retention = new Retention(history.parts, history.backend.store, history.backend.leases, {
      onCompacted: (count) => compacted.push(count),
      onError: (error) => errors.push(error),
      leaseMilliseconds: 3_000,
    });
    onTestFinished(() => retention.stop());
    return { retention, compacted, errors };
  }
  const documents = async ({ backend }: SessionHistory) =>
    (await backend.readModels.documents(sessions, '', 100)).length;
  const reached = async ({ backend }: SessionHistory) =>
    Math.max(0, ...(await backend.leases.progress(retentionName)).map(({ position }) => position));

  it('compacts what is due, and the rest when it becomes due', async () => {
    const history = new SessionHistory(await open(), SESSION_DAYS);
    await history.logIn('old', 7, 93);
    await history.logIn('expires soon', 7, 3);
    await history.logIn('active', 7, 1);
    await history.project();
    let now = history.parts.now() - 2 * 86_400_000;
    const timed = Object.create(history, {
      parts: { value: { ...history.parts, now: () => now } },
      backend: { value: history.backend },
    }) as SessionHistory;
    const { retention, compacted, errors } = newRetention(timed);
    retention.start();
    await vi.waitFor(async () => expect(await documents(history)).toBe(2), POLLING);
    await vi.waitFor(async () => expect(await reached(history)).toBe(1), POLLING);
    now += 2 * 86_400_000;
    await vi.waitFor(async () => expect(await documents(history)).toBe(1), POLLING);
    await vi.waitFor(async () => expect(await reached(history)).toBe(2), POLLING);
    await retention.stop();
    expect(compacted).toEqual([
      { sessions: 1, commits: 1, waiting: 0 },
      { sessions: 1, commits: 1, waiting: 0 },
    ]);
    expect(errors).toEqual([]);
    expect(await history.problems()).toEqual([]);
  });

  it('handles many pages, and several processes compact each session once', async () => {
    const history = new SessionHistory(await open(), SESSION_DAYS);
    const ids = Array.from({ length: 1_200 }, (_, index) => index);
    await Promise.all(ids.map((id) => history.logIn(`session ${id}`, (id % 20) + 1, 93)));
    await history.project();
    const all = [newRetention(history), newRetention(history)];
    for (const { retention } of all) retention.start();
    await vi.waitFor(async () => expect(await documents(history)).toBe(0), POLLING);
    for (const { retention } of all) await retention.stop();
    const commits = all.flatMap(({ compacted }) => compacted).reduce((sum, count) => sum + count.commits, 0);
    expect(commits).toBe(1_200);
    expect(await history.problems()).toEqual([]);
  });

  it('can be stopped before it starts', async () => {
    const { retention, compacted } = newRetention(new SessionHistory(await open()));
    retention.start();
    await retention.stop();
    expect(compacted).toEqual([]);
  });
});
