import type { Commit, CommitFeed, EventStore } from '@keyfold/event-store';
import { setImmediate as otherWork, setTimeout as sleep } from 'node:timers/promises';
import type { ReadModelStore, StoredDocument } from '../read-model-store.js';
import type { ReadModel } from '../read-model.js';

const PAGE = 200;

/** How long to wait for an append in progress to fill its position, and the polling interval, in milliseconds. */
const HOLE_TIMEOUT = 5_000;
const POLL_INTERVAL = 100;

/** Maximum number of consecutive empty positions to skip. */
const WIDEST_HOLE = 1_000;

/**
 * Yields the commits of a slot after the position `after` up to `head`, page by page. Reports positions that stay empty and skips them. `isSettled`:
 * no process appends, so an empty position stays empty.
 */
export async function* walkFeed(
  feed: CommitFeed,
  slot: number,
  head: number,
  isSettled: boolean,
  report: (problem: string) => Promise<void>,
  after = 0,
): AsyncGenerator<Commit[]> {
  let position = after;
  while (position < head) {
    let page = await feed.readFeed(slot, position, Math.min(PAGE, head - position));
    if (page.length === 0 && !isSettled) page = await waitForCommit(feed, slot, position);
    if (page.length === 0) {
      const behind = await positionBehindHole(feed, slot, position, head);
      await report(`slot ${slot} has no commit at ${positions(position + 1, (behind ?? head + 1) - 1)} of its feed`);
      if (behind === undefined) return;
      position = behind - 1;
      continue;
    }
    for (const commit of page) {
      if (commit.position > position + 1) {
        await report(`slot ${slot} has no commit at ${positions(position + 1, commit.position - 1)} of its feed`);
      }
      position = commit.position;
    }
    yield page;
    // The embedded store answers synchronously, and the process may have other requests to serve.
    await otherWork();
  }
}

async function waitForCommit(feed: CommitFeed, slot: number, after: number): Promise<Commit[]> {
  const deadline = performance.now() + HOLE_TIMEOUT;
  for (;;) {
    const page = await feed.readFeed(slot, after, PAGE);
    if (page.length > 0 || performance.now() > deadline) return page;
    await sleep(POLL_INTERVAL);
  }
}

async function positionBehindHole(feed: CommitFeed, slot: number, after: number, head: number) {
  for (let empty = after + 1; empty < Math.min(head, after + WIDEST_HOLE); empty++) {
    const [next] = await feed.readFeed(slot, empty, 1);
    if (next) return next.position;
  }
  return undefined;
}

const positions = (first: number, last: number) =>
  first === last ? `position ${first}` : `positions ${first} to ${last}`;

/** Documents of a model. `unknown`: those whose version does not exist in their stream. */
type DocumentPage = Readonly<{ documents: readonly StoredDocument[]; unknown: readonly StoredDocument[] }>;

/** Yields all documents of a model. Reads documents before their streams, so that their commits are there. */
export async function* documentPages(
  store: EventStore,
  readModels: ReadModelStore,
  model: ReadModel<unknown>,
  signal: AbortSignal,
): AsyncGenerator<DocumentPage> {
  for (let after: string | undefined = ''; after !== undefined;) {
    signal.throwIfAborted();
    const documents: StoredDocument[] = await readModels.documents(model, after, PAGE);
    after = documents.at(-1)?.stream;
    const points = documents.map(({ stream, version }) => ({ stream, version: version - 1 }));
    const known = new Set((await store.readStreams(points)).map(({ stream }) => stream));
    await otherWork();
    yield { documents, unknown: documents.filter(({ stream }) => !known.has(stream)) };
  }
}
