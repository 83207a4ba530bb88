import { voidStreamOf } from '@keyfold/event-store';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { StoredDocument, DueStream } from '../read-model-store.js';
import { foldCase, type ReadModel } from '../read-model.js';
import { documentPages } from './pages.js';
import type { Report, Verified } from './slot-check.js';

/** Checks that each document of a model belongs to a stream and is listed as its state says. Returns the number of documents. */
export async function checkDocuments(
  { store, readModels }: Verified,
  model: ReadModel<unknown>,
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const { documents, unknown } of documentPages(store, readModels, model, signal)) {
    count += documents.length;
    for (const document of documents) await checkEntry(model, document, report);
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

async function checkEntry(model: ReadModel<unknown>, document: StoredDocument, report: Report): Promise<void> {
  const expected = expectedEntry(model, document.state);
  if (!expected) return;
  const { stream, sortKey, text } = document;
  if (sortKey !== expected.sortKey)
    await report(
      `the document of ${stream} has sort key ${sortKey ?? 'none'} in the list of ${model.name}, expected ${expected.sortKey ?? 'none'}`,
    );
  // The texts are names of people, which a report does not repeat.
  if (text !== expected.text)
    await report(`the document of ${stream} has a wrong search text in the list of ${model.name}`);
}

/** Returns undefined for a damaged state, which is reported with its stream. */
function expectedEntry(
  { sortKeyOf, textOf }: ReadModel<unknown>,
  state: unknown,
): Pick<StoredDocument, 'sortKey' | 'text'> | undefined {
  try {
    const sortKey = sortKeyOf?.(state) ?? null;
    return { sortKey, text: sortKey !== null && textOf ? foldCase(textOf(state)) : null };
  } catch {
    return undefined;
  }
}

const PAGE = 200;

/** The numbers differ while entries come and go. If every attempt is disturbed by that, nothing is reported. */
const ATTEMPTS = 5;

/**
 * Compares the total of a model's list, which its index counts, with the number of documents that have a sort key. Reads no page of the
 * list, because the store passes all entries before a page to reach it.
 */
export async function checkList(
  verified: Verified,
  model: ReadModel<unknown>,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  if (!model.sortKeyOf) return;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const total = await totalOf(verified, model, signal);
    const expected = await countDocuments(verified, model, signal);
    if (total === expected) return;
    const isDisturbed = (await totalOf(verified, model, signal)) !== total;
    if (isDisturbed || (!verified.isSettled && attempt < ATTEMPTS)) continue;
    return report(`the list of ${model.name} has ${total} entries; ${expected} documents belong in it`);
  }
}

/** Expired entries have documents too, so they are counted with the others. */
async function totalOf(verified: Verified, model: ReadModel<unknown>, signal: AbortSignal): Promise<number> {
  const { readModels } = verified;
  if (model.due) return countDue(verified, model, signal);
  if (model.expires) return (await readModels.listUnexpired(model, { after: 0 }, 0, 0)).total;
  return (await readModels.list(model, 0, 0)).total;
}

/** Counts everything that is due at any time. */
async function countDue({ readModels }: Verified, model: ReadModel<unknown>, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let last: DueStream | undefined; ;) {
    signal.throwIfAborted();
    const page = await readModels.listDue(model, Number.MAX_SAFE_INTEGER, PAGE, last);
    count += page.length;
    await otherWork();
    if (page.length < PAGE) return count;
    last = page.at(-1);
  }
}

async function countDocuments(
  { readModels }: Verified,
  model: ReadModel<unknown>,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    signal.throwIfAborted();
    const page = await readModels.documents(model, after, PAGE);
    count += page.filter(({ sortKey }) => sortKey !== null).length;
    after = page.at(-1)?.stream;
    await otherWork();
  }
  return count;
}
