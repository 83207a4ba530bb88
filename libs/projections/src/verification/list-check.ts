import { setImmediate as otherWork } from 'node:timers/promises';
import type { ReadModel } from '../read-model.js';
import type { Report, Verified } from './slot-check.js';

const PAGE = 200;

/** While entries come and go the numbers differ; when they do so often that no look is undisturbed, nothing is said. */
const LOOKS = 5;

/** What a list says of itself and what is there: how many entries it tells, how many it shows, how many documents have a place in it. */
type ListCount = Readonly<{ told: number; shown: number; due: number; inOrder: boolean; disturbed: boolean }>;

/**
 * Reads a model's list page by page as clients do: the pages must go on where the last one ended, in the order of the places, and have
 * an entry for every document with a place, whose places are checked with the documents.
 */
export async function checkList(
  verified: Verified,
  model: ReadModel<unknown>,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  if (!model.sortKeyOf) return;
  for (let look = 1; look <= LOOKS; look++) {
    const { told, shown, due, inOrder, disturbed } = await countList(verified, model, signal);
    if (inOrder && told === due && shown === due) return;
    if (disturbed || (!verified.isSettled && look < LOOKS)) continue;
    return report(
      `the list of ${model.name} reports a total of ${told} entries and shows ${shown}${inOrder ? '' : ' in the wrong order'}; ${due} documents belong in it`,
    );
  }
}

async function countList({ readModels }: Verified, model: ReadModel<unknown>, signal: AbortSignal): Promise<ListCount> {
  const { total: told } = await readModels.list(model, 0, 0);
  let shown = 0;
  let inOrder = true;
  for (let last = -Infinity; ;) {
    signal.throwIfAborted();
    const { items } = await readModels.list(model, shown, PAGE);
    for (const state of items) {
      const next = model.sortKeyOf?.(state) ?? -Infinity;
      inOrder &&= next > last;
      last = next;
    }
    shown += items.length;
    await otherWork();
    if (items.length < PAGE) break;
  }
  let due = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    signal.throwIfAborted();
    const page = await readModels.documents(model, after, PAGE);
    due += page.filter(({ sortKey }) => sortKey !== null).length;
    after = page.at(-1)?.stream;
    await otherWork();
  }
  const { total } = await readModels.list(model, 0, 0);
  return { told, shown, due, inOrder, disturbed: total !== told };
}
