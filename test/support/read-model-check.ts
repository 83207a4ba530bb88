import type { CommitFeed, EventStore, FeedLeases } from '@keyfold/event-store';
import { Verification, type ReadModelStore, type VerifiedCount } from '@keyfold/projections';

/** Verifies a store that no process uses. Returns one sentence for each problem, and the counts of what was checked. */
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
