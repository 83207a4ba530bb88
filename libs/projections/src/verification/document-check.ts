import { voidStreamOf } from '@keyfold/event-store';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { StoredDocument, DueStream, ReadModelStore } from '../read-model-store.js';
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
/** Larger, because the store passes all entries before a page to reach it. */
const LIST_PAGE = 2_000;

/** The numbers differ while entries come and go. If every attempt is disturbed by that, nothing is reported. */
const ATTEMPTS = 5;

/** The total that a list reports, the number of entries that it shows, and the number of documents with a sort key. */
type ListCount = Readonly<{ reported: number; shown: number; expected: number; inOrder: boolean; disturbed: boolean }>;

/** Reads a model's list page by page, as clients do. The entries must be ordered by sort key, one for each document that has one. */
export async function checkList(
  verified: Verified,
  model: ReadModel<unknown>,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  if (!model.sortKeyOf) return;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { reported, shown, expected, inOrder, disturbed } = await countList(verified, model, signal);
    if (inOrder && reported === expected && shown === expected) return;
    if (disturbed || (!verified.isSettled && attempt < ATTEMPTS)) continue;
    return report(
      `the list of ${model.name} reports a total of ${reported} entries and shows ${shown}${inOrder ? '' : ' in the wrong order'}; ${expected} documents belong in it`,
    );
  }
}

/** Reads a page of a model's list. Expired entries have documents too, so they are read with the others. */
const readerOf = (readModels: ReadModelStore, model: ReadModel<unknown>) => (offset: number, limit: number) =>
  model.expires ? readModels.listUnexpired(model, { after: 0 }, offset, limit) : readModels.list(model, offset, limit);

async function countList(verified: Verified, model: ReadModel<unknown>, signal: AbortSignal): Promise<ListCount> {
  const before = await totalOf(verified, model, signal);
  const entries = model.due ? await countDue(verified, model, signal) : await countEntries(verified, model, signal);
  const expected = await countDocuments(verified, model, signal);
  const disturbed = (await totalOf(verified, model, signal)) !== before;
  return { reported: before, ...entries, expected, disturbed };
}

async function totalOf(verified: Verified, model: ReadModel<unknown>, signal: AbortSignal): Promise<number> {
  if (model.due) return (await countDue(verified, model, signal)).shown;
  return (await readerOf(verified.readModels, model)(0, 0)).total;
}

async function countEntries(
  { readModels }: Verified,
  model: ReadModel<unknown>,
  signal: AbortSignal,
): Promise<Pick<ListCount, 'shown' | 'inOrder'>> {
  const list = readerOf(readModels, model);
  let shown = 0;
  let inOrder = true;
  for (let last: number | undefined; ;) {
    signal.throwIfAborted();
    const { items } = await list(shown, LIST_PAGE);
    for (const state of items) {
      const next = model.sortKeyOf?.(state) ?? -Infinity;
      inOrder &&= last === undefined || (model.expires ? next <= last : next > last);
      last = next;
    }
    shown += items.length;
    await otherWork();
    if (items.length < LIST_PAGE) return { shown, inOrder };
  }
}

/** Counts everything that is due at any time. */
async function countDue(
  { readModels }: Verified,
  model: ReadModel<unknown>,
  signal: AbortSignal,
): Promise<Pick<ListCount, 'shown' | 'inOrder'>> {
  let shown = 0;
  let inOrder = true;
  for (let last: DueStream | undefined; ;) {
    signal.throwIfAborted();
    const page = await readModels.listDue(model, Number.MAX_SAFE_INTEGER, PAGE, last);
    for (const each of page) {
      inOrder &&= last === undefined || each.at >= last.at;
      last = each;
    }
    shown += page.length;
    await otherWork();
    if (page.length < PAGE) return { shown, inOrder };
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
