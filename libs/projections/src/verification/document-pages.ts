import type { EventStore } from '@keyfold/event-store';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { ReadModelStore, StoredDocument } from '../read-model-store.js';
import type { ReadModel } from '../read-model.js';

const PAGE = 200;

/** Documents of a model. `unknown`: those whose version does not exist in their stream. */
export type DocumentPage = Readonly<{ documents: readonly StoredDocument[]; unknown: readonly StoredDocument[] }>;

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
