import { randomInt } from 'node:crypto';
import { TEXT_BYTES, type StoredEvent } from '@keyfold/domain';
import type { HistoryRange, NewCommit } from '@keyfold/event-store';
import { accountStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { newCommit, unused } from '../../../event-store/testing/new-commit.js';
import { goldenEvent } from '../../../messaging/testing/golden-commits.js';
import { registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import type { ActivityCursor } from './activity.js';
import { ActivityHistory, type ActivitySelection, type ShownActivity } from './activity-history.js';

const ANN = { accountId: 7, username: 'ann' };
const MEBIBYTE = 1024 * 1024;
const disabled = goldenEvent('AccountDisabled.v1');

/** A store with commits of any kind, and its history. */
class Scene {
  readonly service = new EmbeddedService();
  readonly store = this.service.folder.store;
  readonly reads: { range: HistoryRange; commits: number }[] = [];
  readonly history = new ActivityHistory(
    {
      readHistory: async (range, limit) => {
        const commits = await this.store.readHistory(range, limit);
        this.reads.push({ range, commits: commits.length });
        return commits;
      },
    },
    this.store,
    this.service.readModels,
  );

  /** Appends a commit about Ann with these events to a stream of its own. */
  async append(at: number, events: readonly StoredEvent[] = [disabled], details: Partial<NewCommit> = {}) {
    const commit = newCommit(unused('account'), 1, { partition: '7', at, events, actor: 'session:7', ...details });
    return (await this.store.append(commit)).commit;
  }

  async login(sessionId: string, address: string, accountId = 7) {
    const event = goldenEvent('SessionStarted.v1');
    const data = { ...event.data, sessionId, accountId, address, client: `client of ${address}` };
    const details = { partition: String(accountId), actor: `login:${accountId}` };
    await this.store.append(newCommit(`session-${sessionId}`, 1, { at: 1, events: [{ ...event, data }], ...details }));
  }

  page(selection: ActivitySelection, limit = 50, after?: ActivityCursor) {
    return this.history.page('administrator', selection, { after, limit });
  }

  /** Reads all pages, and calls `between` after each. */
  async pages(selection: ActivitySelection, limit: number, between = async (): Promise<unknown> => undefined) {
    const pages: (readonly ShownActivity[])[] = [];
    for (let page = await this.page(selection, limit); ; page = await this.page(selection, limit, page.next)) {
      expect(page.items.length).toBeLessThanOrEqual(limit);
      pages.push(page.items);
      if (!page.next) return pages;
      await between();
    }
  }
}

const idsOf = (activities: readonly ShownActivity[]) => activities.map(({ id }) => id);

describe('pages', () => {
  it.each([1, 2, 3, 7, 50])('of %i entries contain every event once, the newest first', async (limit) => {
    const scene = new Scene();
    const expected: { at: number; id: string }[] = [];
    for (let n = 0; n < 40; n++) {
      const events = Array.from({ length: 1 + (n % 4) }, () => disabled);
      const { stream, at } = await scene.append(1_000 + randomInt(20), events);
      expected.push(...events.map((_, index) => ({ at, id: `${stream}:1:${index}` })));
    }
    const seen = (await scene.pages({ accountId: 7 }, limit)).flat();
    expect(idsOf(seen).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    const times = seen.map(({ cursor }) => cursor.at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect((await scene.pages({}, limit)).flat()).toEqual(seen);
  });

  it('neither skip nor repeat an event while others are added', async () => {
    const scene = new Scene();
    for (let n = 0; n < 30; n++) await scene.append(1_000 + randomInt(10), [disabled, disabled]);
    const before = idsOf((await scene.pages({ accountId: 7 }, 50)).flat());
    const pages = await scene.pages({ accountId: 7 }, 3, () => scene.append(1_000 + randomInt(20)));
    const seen = idsOf(pages.flat());
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(before));
  });

  it('of rare events end after 2,000 events and continue', async () => {
    const scene = new Scene();
    await scene.append(0, [goldenEvent('AccountEnabled.v1')]);
    await Promise.all(Array.from({ length: 4_100 }, (_, n) => scene.append(1 + n)));
    const selection = { types: ['account.enabled'] };
    const first = await scene.page(selection);
    expect(first.items).toEqual([]);
    expect(scene.reads.reduce((sum, { commits }) => sum + commits, 0)).toBe(2_000);
    const second = await scene.page(selection, 50, first.next);
    const third = await scene.page(selection, 50, second.next);
    expect([second.items, third.items.length, third.next]).toEqual([[], 1, undefined]);
  });

  it('of the longest texts take at most 2 MiB, and contain every event', async () => {
    const scene = new Scene();
    const longest = '"'.repeat(TEXT_BYTES.username / 2);
    const registered = goldenEvent('AccountRegistered.v1');
    const event = { ...registered, data: { ...registered.data, username: longest, basePath: `/${longest}` } };
    for (let n = 0; n < 300; n++) await scene.append(n, [event]);
    const pages = await scene.pages({}, 200);
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2 * MEBIBYTE);
    expect(pages.flat()).toHaveLength(300);
    expect(pages.length).toBeGreaterThan(2);
  });
});

describe('a selection', () => {
  it('by time, type and actor contains what fits all of them', async () => {
    const scene = new Scene();
    const enabled = goldenEvent('AccountEnabled.v1');
    const wanted = await scene.append(20, [enabled]);
    await scene.append(20, [enabled], { actor: 'operator' });
    await scene.append(20, [disabled]);
    await scene.append(19, [enabled]);
    await scene.append(30, [enabled]);
    const selection = { types: ['account.enabled'], actor: 7, from: 20, until: 30 };
    expect(idsOf((await scene.page(selection)).items)).toEqual([`${wanted.stream}:1:0`]);
    expect((await scene.page({ ...selection, actor: 'operator' })).items).toHaveLength(1);
    expect((await scene.page({ ...selection, actor: 'session' })).items).toHaveLength(1);
    expect((await scene.page({ ...selection, actor: 8 })).items).toEqual([]);
  });

  it('of a period seeks to it', async () => {
    const scene = new Scene();
    for (let at = 0; at < 500; at++) await scene.append(at);
    expect((await scene.page({ from: 10, until: 20 })).items).toHaveLength(10);
    expect(scene.reads).toEqual([{ range: { from: 10, before: { at: 20, key: 0 } }, commits: 10 }]);
  });
});

describe('names and addresses', () => {
  it('are those of the accounts now and of the session while it is kept', async () => {
    const scene = new Scene();
    await registerAccount(scene.service, 7, 'ann');
    await scene.service.projection.project(accountStream(7));
    await scene.login('s1', '192.0.2.1');
    await scene.append(5, [disabled], { session: 's1' });
    const [item] = (await scene.page({ types: ['account.disabled'] })).items;
    expect(item).toMatchObject({ username: 'ann', actorName: 'ann', sessionId: 's1', address: '192.0.2.1' });
    expect(item!.client).toBe('client of 192.0.2.1');

    await updateAccount(scene.service, 7, { username: 'anna' });
    await scene.service.projection.project(accountStream(7));
    await scene.store.compact(['session-s1']);
    const { items } = await scene.page({ accountId: 7 });
    expect(items.map(({ type }) => type)).not.toContain('session.started');
    const after = items.find(({ type }) => type === 'account.disabled');
    expect(after).toMatchObject({ username: 'anna', sessionId: 's1', address: '', client: '' });
  });

  it('of other people are not shown to the owner of the account', async () => {
    const scene = new Scene();
    await scene.login('own', '192.0.2.1');
    await scene.login('other', '192.0.2.2', 1);
    await scene.append(5, [disabled], { session: 'own' });
    await scene.append(6, [disabled], { session: 'other', actor: 'session:1' });
    const { items } = await scene.history.page(ANN, { accountId: 7 }, { after: undefined, limit: 9 });
    expect(items).toMatchObject([
      { actor: { kind: 'session', accountId: 1 }, actorName: '', sessionId: undefined, address: '', client: '' },
      { actor: { accountId: 7 }, actorName: 'ann', sessionId: 'own', address: '192.0.2.1' },
      { type: 'session.started', sessionId: 'own', address: '192.0.2.1' },
    ]);
    expect(JSON.stringify(items)).not.toMatch(/192\.0\.2\.2|other/);
  });
});

it('an export reads on only when more is asked for', async () => {
  const scene = new Scene();
  await Promise.all(Array.from({ length: 300 }, (_, n) => scene.append(n)));
  const all = scene.history.all('administrator', {});
  await all.next();
  await all.next();
  expect(scene.reads).toHaveLength(2);
  let rest = 0;
  for await (const items of all) rest += items.length;
  expect(rest).toBe(200);
});
