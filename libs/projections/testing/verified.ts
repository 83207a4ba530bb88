import type { CommitFeed, EventStore, FeedLeases, StreamCompaction } from '@keyfold/event-store';
import { expect } from 'vitest';
import type { Projector } from '../src/projecting/projector.js';
import type { ReadModelStore } from '../src/read-model-store.js';
import { readModels as allModels } from '../src/read-model.js';
import { Rebuild, type RebuiltCount } from '../src/verification/rebuild.js';
import { Verification, type VerifiedCount } from '../src/verification/verification.js';

/** The store and the read models with either adapter. */
export type Backend = Readonly<{
  store: EventStore & CommitFeed & StreamCompaction;
  readModels: ReadModelStore;
  leases: FeedLeases;
  newProjector(): Projector;
}>;

/** Checks everything. Returns the counts and a sentence for each problem. */
export async function verify(
  { store, readModels, leases }: Omit<Backend, 'newProjector'>,
  isSettled = true,
  projectorTimeout = 500,
): Promise<VerifiedCount & { problems: string[] }> {
  const problems: string[] = [];
  const verification = new Verification({ store, feed: store, readModels, isSettled }, leases, projectorTimeout);
  const count = await verification.run(async (problem) => void problems.push(problem), AbortSignal.timeout(30_000));
  return { problems, ...count };
}

/** Writes all documents anew. Fails if a stream cannot be folded. */
export const rebuildAll = ({ store, readModels }: Pick<Backend, 'store' | 'readModels'>): Promise<RebuiltCount> =>
  new Rebuild(store, store, readModels, allModels, Date.now).run(
    async (problem) => expect.fail(problem),
    new AbortController().signal,
  );
