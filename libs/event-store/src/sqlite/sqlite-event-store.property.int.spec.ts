import fc from 'fast-check';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ModelEventStore } from '../../testing/model-event-store.js';
import { newCommand, newCommit } from '../../testing/new-commit.js';
import { temporaryFolder } from '../../testing/open-sqlite.js';
import type { Commit, NewCommit } from '../commit.js';
import type { Appended, EventStore } from '../event-store.js';
import type { CommitFeed } from '../feed/commit-feed.js';
import { eventStoreSchema, SqliteEventStore } from './sqlite-event-store.js';
import { SqliteFile } from './sqlite-file.js';

const streams = ['account-1', 'account-2', 'session-1'];
const keys = ['name:a:1', 'name:a:1:released', 'name:ä:1', 'otp:1:1:7'];

/** Few streams, keys and ids, so that appends get in each other's way; `version` is mostly near the end of its stream. */
const append = fc.record({
  stream: fc.constantFrom(...streams),
  version: fc.oneof(
    { weight: 6, arbitrary: fc.constant('next' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 6 }) },
  ),
  id: fc.oneof({ weight: 3, arbitrary: fc.uuid() }, { weight: 1, arbitrary: fc.constantFrom('id-1', 'id-2', 'id-3') }),
  hash: fc.constantFrom('hash-1', 'hash-2'),
  holds: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(keys) }),
});
type Append = typeof append extends fc.Arbitrary<infer T> ? T : never;

it('a sequence of appends has the same outcomes and commits as the model', async () => {
  const file = openFile();
  await fc.assert(
    fc.asyncProperty(fc.array(append, { minLength: 1, maxLength: 30 }), async (appends) => {
      const [store, model] = [await emptyStore(file), new ModelEventStore()];
      for (const each of appends) {
        const commit = commitOf(each, model.commits);
        expect(await answerOf(store, commit)).toEqual(await answerOf(model, commit));
      }
      for (const prefix of ['name:a:', 'name:ä', 'otp:', '']) {
        expect(await store.findLastHold(prefix)).toEqual(await model.findLastHold(prefix));
      }
      const points = streams.map((stream, version) => ({ stream, version }));
      expect(await store.readStreams(points)).toEqual(await model.readStreams(points));
      expect(await readFeed(store)).toEqual(model.commits);
    }),
    { numRuns: 100 },
  );
});

it('concurrent appends leave a feed that the model reproduces, with the same answers', async () => {
  const file = openFile();
  const rounds = fc.array(fc.array(append, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(rounds, async (schedule) => {
      const store = await emptyStore(file);
      const answers: Answer[] = [];
      for (const round of schedule) {
        const known = await readFeed(store);
        const commits = round.map((each) => commitOf(each, known));
        answers.push(...(await Promise.all(commits.map((commit) => answerOf(store, commit)))));
      }
      const feed = await readFeed(store);
      await expectAccepted(feed);
      const appended = appendedBy(answers);
      expect(appended).toHaveLength(feed.length);
      expect(appended).toEqual(expect.arrayContaining(feed.map(withoutPosition)));
      for (const answer of answers) expectJustified(answer, feed);
    }),
    { numRuns: 100 },
  );
});

function openFile(): SqliteFile {
  const file = new SqliteFile(join(temporaryFolder(), 'events.db'), eventStoreSchema);
  onTestFinished(() => file.close());
  return file;
}

/** One file serves all schedules: opening one takes longer than a schedule. */
async function emptyStore(file: SqliteFile): Promise<SqliteEventStore> {
  await file.writeAll(['DELETE FROM holds', 'DELETE FROM commits'].map((sql) => ({ sql, params: [] })));
  return new SqliteEventStore(file);
}

const readFeed = (feed: CommitFeed): Promise<Commit[]> => feed.readFeed(0, 0, 1_000);

type Answer = Readonly<{ commit: NewCommit; appended?: Appended; refusedWith?: string; key?: string | undefined }>;

async function answerOf(store: EventStore, commit: NewCommit): Promise<Answer> {
  try {
    return { commit, appended: await store.append(commit) };
  } catch (error) {
    const { name, key } = error as Error & { key?: string };
    return { commit, refusedWith: name, key };
  }
}

function commitOf({ stream, version, id, hash, holds }: Append, known: readonly Commit[]): NewCommit {
  const next = known.filter((commit) => commit.stream === stream).length + 1;
  const command = newCommand(id, hash);
  return newCommit(stream, version === 'next' ? next : version, { command, ...(holds.length > 0 && { holds }) });
}

/** The model accepts the commits of the feed in order: versions are dense, and command ids and holds are used once. */
async function expectAccepted(feed: readonly Commit[]): Promise<void> {
  const model = new ModelEventStore();
  for (const commit of feed) await model.append(commit);
  expect(model.commits).toEqual(feed);
}

const withoutPosition = ({ position: _, ...commit }: Commit): NewCommit => commit;

/** Returns the commits that the answers claim to have stored. */
const appendedBy = (answers: readonly Answer[]): NewCommit[] =>
  answers.flatMap(({ appended }) => (appended?.outcome === 'appended' ? [appended.commit] : []));

/** Expects that the feed contains the reason why a commit was not appended. */
function expectJustified({ commit, appended, refusedWith, key }: Answer, feed: readonly Commit[]): void {
  const sameCommand = feed.find(({ command }) => command.id === commit.command.id);
  if (appended) {
    expect(sameCommand).toMatchObject(appended.commit);
    expect(appended.commit.command.hash).toBe(commit.command.hash);
  } else if (refusedWith === 'CommandIdReused') {
    expect(sameCommand?.command.hash).not.toBe(commit.command.hash);
    expect(sameCommand).toBeDefined();
  } else if (refusedWith === 'HoldTaken') {
    expect(commit.holds).toContain(key);
    expect(feed.filter(({ holds }) => holds?.includes(key!))).toHaveLength(1);
  } else {
    expect(refusedWith).toBe('WrongExpectedVersion');
    // Version 1 of a stream that never had a commit cannot be wrong.
    const exists = feed.some(({ stream }) => stream === commit.stream);
    expect(exists || commit.version !== 1).toBe(true);
  }
}
