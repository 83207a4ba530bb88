import type { Commit } from '@keyfold/event-store';
import { isDeepStrictEqual } from 'node:util';
import { foldCommit, initialOf, UnfoldableStream, type Loaded } from '../fold.js';
import { readModelOf } from '../read-model.js';
import type { StreamRef } from '../stream-ref.js';

/** What the commits of a stream say about its document: `behind` is no problem, because the projector has not come that far. */
export type Comparison = Readonly<{ problem?: string; behind: boolean }>;

/**
 * Folds a stream from nothing and compares its document with the state at the document's version, so that a document that was read
 * before the commits is right or wrong however much is appended meanwhile. `projected`: up to which position the projector had come
 * when the document was read; what comes later may be missing in it.
 */
export function compareStream(
  ref: StreamRef<unknown>,
  commits: readonly Commit[],
  document: Loaded<unknown> | undefined,
  projected: number,
): Comparison {
  const { stream, aggregate } = ref;
  const version = document?.version ?? 0;
  let loaded = initialOf(aggregate);
  let stateOfDocument: unknown;
  try {
    for (const commit of commits) {
      loaded = foldCommit(aggregate, loaded, commit);
      if (loaded.version === version) stateOfDocument = loaded.state;
    }
  } catch (error) {
    if (!(error instanceof UnfoldableStream)) throw error;
    return { problem: error.message, behind: false };
  }
  if (version > loaded.version) {
    return {
      problem: `the document of ${stream} is at version ${version}, its stream at ${loaded.version}`,
      behind: false,
    };
  }
  if (document && !sameAsJson(document.state, stateOfDocument)) {
    return { problem: `the document of ${stream} differs from its stream at version ${version}`, behind: false };
  }
  const due = commits.findLast(({ position }) => position <= projected)?.version ?? 0;
  if (version >= due) return { behind: version < loaded.version };
  const problem = document
    ? `the document of ${stream} is at version ${version}, but the projector has passed version ${due}`
    : `stream ${stream} has no document in ${readModelOf(ref).name}, but the projector has passed it`;
  return { problem, behind: false };
}

/** Documents are kept as JSON, which drops fields without a value. */
const sameAsJson = (a: unknown, b: unknown) => isDeepStrictEqual(asJson(a), asJson(b));
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
