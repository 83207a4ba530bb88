import type { Account, SshKeyRing, SshKeyUse } from '@keyfold/domain';
import type { Commit, EventStore } from '@keyfold/event-store';
import {
  accountStream,
  foldCommit,
  initialOf,
  sshKeyRingStream,
  sshKeyUseStream,
  type StreamRef,
} from '@keyfold/projections';

/** An account with its keys at one moment. */
export type PastAccount = Readonly<{ account: Account; ring: SshKeyRing; use: SshKeyUse }>;

/**
 * Returns the state of an account at a time in unix milliseconds. It contains every commit up to that time, and those that precede them in
 * their streams even if a clock that was ahead gave them a later time. Reads the whole streams. Throws `UnfoldableStream`.
 */
export async function accountAt(store: EventStore, accountId: number, at: number): Promise<PastAccount> {
  const [account, ring, use] = [accountStream(accountId), sshKeyRingStream(accountId), sshKeyUseStream(accountId)];
  const commits = await store.readStreams([account, ring, use].map(({ stream }) => ({ stream, version: 0 })));
  return { account: stateAt(account, commits, at), ring: stateAt(ring, commits, at), use: stateAt(use, commits, at) };
}

function stateAt<State>({ stream, aggregate }: StreamRef<State>, commits: readonly Commit[], at: number): State {
  const own = commits.filter((commit) => commit.stream === stream);
  const past = own.slice(0, own.findLastIndex((commit) => commit.at <= at) + 1);
  return past.reduce((loaded, commit) => foldCommit<State>(aggregate, loaded, commit), initialOf<State>(aggregate))
    .state;
}
