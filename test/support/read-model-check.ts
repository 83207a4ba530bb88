import type { CommitFeed, EventStore, FeedLeases } from '@keyfold/event-store';
import { Verification, type ReadModelStore, type VerifiedCount } from '@keyfold/projections';

/** Everything that is wrong with a store on which nothing works any more, a sentence each, and what was looked at. */
export async function verifyStopped(
  store: EventStore & CommitFeed,
  readModels: ReadModelStore,
  leases: FeedLeases,
): Promise<VerifiedCount & { problems: string[] }> {
  const problems: string[] = [];
  const verification = new Verification({ store, feed: store, readModels, isSettled: true }, leases);
  const report = async (problem: string) => void problems.push(problem);
  return { ...(await verification.run(report, new AbortController().signal)), problems };
}
