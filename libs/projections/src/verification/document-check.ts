import { voidStreamOf } from '@keyfold/event-store';
import type { StoredDocument } from '../read-model-store.js';
import type { ReadModel } from '../read-model.js';
import { documentPages } from './document-pages.js';
import type { Report, Verified } from './slot-check.js';

/**
 * Goes through the documents of a model, which are its list as well: each must belong to a stream and stand at the place that its
 * state asks for. Answers how many there are.
 */
export async function checkDocuments(
  { store, readModels }: Verified,
  model: ReadModel<unknown>,
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const { documents, unknown } of documentPages(store, readModels, model, signal)) {
    count += documents.length;
    for (const document of documents) await checkSortKey(model, document, report);
    for (const { stream, version } of unknown) {
      // A stream that is merely shorter than its document was found with the streams; that of a compacted one is about to go.
      const [first] = await store.readStreams(
        [stream, voidStreamOf(stream)].map((each) => ({ stream: each, version: 0 })),
      );
      if (!first) await report(`${model.name} has a document of ${stream} at version ${version}, which is no stream`);
    }
  }
  return count;
}

async function checkSortKey(model: ReadModel<unknown>, document: StoredDocument, report: Report): Promise<void> {
  const expected = model.sortKeyOf?.(document.state) ?? null;
  if (document.sortKey === expected) return;
  await report(
    `the document of ${document.stream} has sort key ${document.sortKey ?? 'none'} in the list of ${model.name}, expected ${expected ?? 'none'}`,
  );
}
