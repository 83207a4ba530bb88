import { voidStreamOf } from '@keyfold/event-store';
import type { StoredDocument } from '../read-model-store.js';
import type { ReadModel } from '../read-model.js';
import { documentPages } from './document-pages.js';
import type { Report, Verified } from './slot-check.js';

/** Checks that each document of a model belongs to a stream and has the right sort key. Returns the number of documents. */
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
      // A stream shorter than its document is reported with the streams. The document of a compacted stream is about to be removed.
      const [first] = await store.readStreams(
        [stream, voidStreamOf(stream)].map((each) => ({ stream: each, version: 0 })),
      );
      if (!first)
        await report(`${model.name} has a document of ${stream} at version ${version}, but there is no such stream`);
    }
  }
  return count;
}

async function checkSortKey(model: ReadModel<unknown>, document: StoredDocument, report: Report): Promise<void> {
  const expected = expectedSortKey(model, document.state);
  if (expected === undefined || document.sortKey === expected) return;
  await report(
    `the document of ${document.stream} has sort key ${document.sortKey ?? 'none'} in the list of ${model.name}, expected ${expected ?? 'none'}`,
  );
}

/** Returns undefined for a damaged state, which is reported with its stream. */
function expectedSortKey(model: ReadModel<unknown>, state: unknown): number | null | undefined {
  try {
    return model.sortKeyOf?.(state) ?? null;
  } catch {
    return undefined;
  }
}
