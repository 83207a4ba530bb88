import type { EventStore } from '@keyfold/event-store';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { ReadModelStore, StoredDocument } from '../read-model-store.js';
import type { ReadModel } from '../read-model.js';

const PAGE = 200;

/** Some documents of a model; `unknown`: those among them whose version no commit of their stream has. */
export type DocumentPage = Readonly<{ documents: readonly StoredDocument[]; unknown: readonly StoredDocument[] }>;

/** All documents of a model. Each is looked at before its stream, so that whatever led to it is there. */
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
