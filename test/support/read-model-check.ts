import type { Commit, EventStore } from '@keyfold/event-store';
import {
  foldCommit,
  readModels,
  streamRef,
  UnfoldableStream,
  type Loaded,
  type ReadModel,
  type ReadModelStore,
  type StreamRef,
} from '@keyfold/projections';
import { isDeepStrictEqual } from 'node:util';

const BATCH = 1_000;

/** A stream and what all its commits lead to. */
export type FoldedStream = { readonly ref: StreamRef<unknown>; loaded: Loaded<unknown> };

/** The whole event store, folded from nothing; `problems` says in a sentence each what is wrong with the store itself. */
export type FoldedStore = Readonly<{ streams: Map<string, FoldedStream>; commits: number; problems: string[] }>;

/**
 * Folds every stream of every feed without looking at a read model. A position that is missing in a feed, a version that is missing
 * in a stream and an event that cannot be read are problems of the answer, not errors; the rest is folded all the same.
 */
export async function foldEverything(store: EventStore): Promise<FoldedStore> {
  const folded = { streams: new Map<string, FoldedStream>(), commits: 0, problems: [] as string[] };
  for (let slot = 0; slot < store.slots; slot++) {
    let position = 0;
    for (;;) {
      const commits = await store.readFeed(slot, position, BATCH);
      for (const commit of commits) {
        if (commit.position !== ++position) {
          folded.problems.push(`slot ${slot} has position ${commit.position} where ${position} is due`);
          position = commit.position;
        }
        addCommit(folded, commit);
      }
      folded.commits += commits.length;
      if (commits.length < BATCH) break;
    }
  }
  return folded;
}

/** In which ways the documents and lists differ from the folded streams: a sentence each, none when all is well. */
export async function compareWithReadModels(folded: FoldedStore, documents: ReadModelStore): Promise<string[]> {
  const parked = await documents.parked();
  const differences = parked.map(({ stream, error }) => `stream ${stream} is parked: ${error}`);
  for (const stream of folded.streams.values()) differences.push(...(await compareDocument(stream, documents)));
  for (const model of readModels) differences.push(...(await compareList(model, folded, documents)));
  return differences;
}

function addCommit({ streams, problems }: FoldedStore, commit: Commit): void {
  const ref = streamRef(commit.stream, commit.partition);
  if (!ref) return;
  let stream = streams.get(commit.stream);
  if (!stream) streams.set(commit.stream, (stream = { ref, loaded: { state: ref.model.initialState, version: 0 } }));
  try {
    stream.loaded = foldCommit(ref.model, stream.loaded, commit);
  } catch (error) {
    if (!(error instanceof UnfoldableStream)) throw error;
    problems.push(error.message);
  }
}

async function compareDocument({ ref, loaded }: FoldedStream, documents: ReadModelStore): Promise<string[]> {
  const document = (await documents.get([ref])).get(ref.stream);
  if (!document) return [`stream ${ref.stream} has no document in ${ref.model.name}`];
  if (document.version !== loaded.version) {
    return [`the document of ${ref.stream} is at version ${document.version}, its stream at ${loaded.version}`];
  }
  return sameAsJson(document.state, loaded.state) ? [] : [`the document of ${ref.stream} differs from its stream`];
}

async function compareList(
  model: ReadModel<unknown>,
  { streams }: FoldedStore,
  documents: ReadModelStore,
): Promise<string[]> {
  const { placeOf } = model;
  if (!placeOf) return [];
  const due = [...streams.values()]
    .filter(({ ref }) => ref.model === model)
    .map(({ loaded: { state } }) => ({ state, place: placeOf(state) }))
    .filter(({ place }) => place !== null)
    .toSorted((a, b) => a.place! - b.place!)
    .map(({ state }) => state);
  const { items, total } = await documents.list(model, 0, due.length + 1);
  if (total === due.length && sameAsJson(items, due)) return [];
  return [`the list of ${model.name} has ${total} entries and differs from the ${due.length} that are due`];
}

/** Documents are kept as JSON, which drops fields without a value. */
const sameAsJson = (a: unknown, b: unknown) => isDeepStrictEqual(asJson(a), asJson(b));
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
