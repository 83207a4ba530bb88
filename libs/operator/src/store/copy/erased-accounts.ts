import { isCompacted, voidStreamOf, type Commit } from '@keyfold/event-store';
import { accountStream } from '@keyfold/projections';
import type { StoreAdapters } from '@keyfold/wiring';

/** Splits commits after each erasure: a later commit may take the name of the erased account. */
export function* partsUpToErasures(commits: readonly Commit[]): Generator<readonly Commit[]> {
  let from = 0;
  for (const [index, commit] of commits.entries()) {
    if (erasedIn(commit).length === 0) continue;
    yield commits.slice(from, index + 1);
    from = index + 1;
  }
  if (from < commits.length) yield commits.slice(from);
}

/** Returns the accounts that a commit erases. */
export const erasedIn = ({ events }: Commit): number[] =>
  events.flatMap((event) => (event.type === 'AccountErased' ? [Number(event.data['accountId'])] : []));

/** Whether a copy still has something of an erased account, because it was copied before the erasure. Throws `StoreUnavailable`. */
export async function isLeft({ store, history }: StoreAdapters, accountId: number): Promise<boolean> {
  if ((await history.readHistory({ partition: String(accountId) }, 1)).length > 0) return true;
  const { stream } = accountStream(accountId);
  const commits = await store.readStreams([{ stream: voidStreamOf(stream), version: 0 }]);
  return commits.some((commit) => isCompacted(commit) && (commit.command.hash !== '' || commit.holds !== undefined));
}
