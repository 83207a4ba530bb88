import { upcast } from '@keyfold/domain';
import { reasonOf, type Commit } from '@keyfold/event-store';
import type { ReadModel } from './read-model.js';

/** A folded state and the number of commits that it was folded from. */
export type Loaded<State> = Readonly<{ state: State; version: number }>;

/** A stream whose commits cannot be folded: an event of a newer version, or a gap. It is parked; the rest goes on. */
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

/** Adds one commit to a state. Throws `UnfoldableStream`. */
export function foldCommit<State>(model: ReadModel<State>, loaded: Loaded<State>, commit: Commit): Loaded<State> {
  try {
    if (commit.version !== loaded.version + 1) throw new Error(`it does not follow commit ${loaded.version}`);
    let { state } = loaded;
    for (const event of commit.events) state = model.evolve(state, upcast(model.upcasters, event));
    return { state, version: commit.version };
  } catch (error) {
    throw new UnfoldableStream(commit.stream, commit.version, error);
  }
}
