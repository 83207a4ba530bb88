import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCommit, unused } from '../../testing/new-commit.js';
import { openMongo } from '../../testing/open-mongo.js';
import { cursorAt, type HistoryRange } from '../event-store.js';

const COMMITS = 3_000;
const LIMIT = 50;

describe('a page of a long history reads only its own commits', () => {
  let open: Awaited<ReturnType<typeof openMongo>>;
  const partition = '7';
  beforeAll(async () => {
    open = await openMongo();
    const { store } = open;
    await Promise.all(
      Array.from({ length: COMMITS }, (_, at) => store.append(newCommit(unused('session'), 1, { partition, at }))),
    );
  });
  afterAll(() => open.close());

  const pages: Readonly<Record<string, HistoryRange>> = {
    newest: {},
    'in the middle': { before: { at: COMMITS / 2, key: 2 ** 46 } },
    oldest: { before: cursorAt(LIMIT) },
    'of a period': { from: 100, before: cursorAt(200) },
  };

  it.each(Object.entries(pages))('%s', async (_, range) => {
    for (const each of [range, { partition, ...range }]) {
      const { keysExamined, docsExamined } = await costOf(each);
      // A commit in the millisecond of the cursor is read and left out.
      expect(docsExamined).toBeLessThanOrEqual(LIMIT + 1);
      expect(keysExamined).toBeLessThanOrEqual(LIMIT + 1);
    }
  });

  async function costOf(range: HistoryRange): Promise<Readonly<{ keysExamined: number; docsExamined: number }>> {
    const db = open.connection.db!;
    await db.command({ profile: 0 });
    await db.collection('system.profile').drop();
    await db.command({ profile: 2 });
    expect(await open.store.readHistory(range, LIMIT)).toHaveLength(LIMIT);
    await db.command({ profile: 0 });
    const reads = await db.collection('system.profile').find({ 'command.find': 'commits' }).toArray();
    expect(reads).toHaveLength(1);
    return reads[0] as unknown as { keysExamined: number; docsExamined: number };
  }
});
