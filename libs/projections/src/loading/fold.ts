import { upcast } from '@keyfold/domain';
import type { NewCommit } from '@keyfold/event-store';
import { reasonOf } from '@keyfold/reporting';
import type { StreamAggregate } from './stream-ref.js';

/** A folded state and the number of commits that were folded into it. */
export type Loaded<State> = Readonly<{ state: State; version: number }>;

export type Fold<State> = Readonly<{
  upcasters: StreamAggregate<State>['upcasters'];
  decider: Pick<StreamAggregate<State>['decider'], 'initialState' | 'evolve'>;
}>;

/** A stream whose commits cannot be folded: it has a gap, or an event of a newer version. It is parked, and all others go on. */
export class UnfoldableStream extends Error {
  constructor(
    readonly stream: string,
    readonly version: number,
    cause: unknown,
  ) {
    super(`cannot fold commit ${version} of stream ${stream}: ${reasonOf(cause)}`, { cause });
    this.name = 'UnfoldableStream';
  }
}

/** Returns the state of a stream without commits. */
export const initialOf = <State>({ decider }: Fold<State>): Loaded<State> => ({
  state: decider.initialState,
  version: 0,
});

/** Folds the commits of a stream from its beginning. Throws `UnfoldableStream`. */
export const foldCommits = <State>(aggregate: Fold<State>, commits: readonly NewCommit[]): Loaded<State> =>
  commits.reduce((loaded, commit) => foldCommit(aggregate, loaded, commit), initialOf(aggregate));

/** Adds one commit to a state. Throws `UnfoldableStream`. */
export function foldCommit<State>(
  { decider, upcasters }: Fold<State>,
  loaded: Loaded<State>,
  commit: NewCommit,
): Loaded<State> {
  try {
    if (commit.version !== loaded.version + 1) throw new Error(`it does not follow commit ${loaded.version}`);
    let { state } = loaded;
    for (const event of commit.events) state = decider.evolve(state, upcast(upcasters, event));
    return { state, version: commit.version };
  } catch (error) {
    throw new UnfoldableStream(commit.stream, commit.version, error);
  }
}
