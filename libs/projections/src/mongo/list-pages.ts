import { reaching } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import type { DueStream, Unexpired } from '../read-model-store.js';
import { PARTITION_INDEX, PLACE_INDEX, type ReadModelDocument } from './read-model.model.js';

type Documents = mongo.Collection<ReadModelDocument>;

/** The documents of a list, the index that finds and counts them, and their order. */
export type ListRange = Readonly<{ filter: mongo.Filter<ReadModelDocument>; hint: string; sort: { place: 1 | -1 } }>;

export const wholeList: ListRange = { filter: { place: { $gte: -Infinity } }, hint: PLACE_INDEX, sort: { place: 1 } };

export const unexpiredList = ({ after, partition }: Unexpired): ListRange => ({
  filter: { place: { $gt: after }, ...(partition !== undefined && { partition }) },
  hint: partition === undefined ? PLACE_INDEX : PARTITION_INDEX,
  sort: { place: -1 },
});

/** Calls `take` with the JSON of each state of a page until it returns false. Returns the length of the list. */
export async function readPage(
  documents: Documents,
  { filter, ...range }: ListRange,
  offset: number,
  limit: number,
  take: (state: string) => boolean,
): Promise<number> {
  const walk = async () => {
    const options = { ...range, skip: offset, limit, projection: { state: 1 } };
    for await (const { state } of documents.find(filter, options)) if (state !== undefined && !take(state)) break;
  };
  const [total] = await Promise.all([
    reaching(() => documents.countDocuments(filter, { hint: range.hint })),
    limit === 0 ? undefined : reaching(walk),
  ]);
  return total;
}

/** Returns streams of a model with `due`, as `ReadModelStore.listDue` does. */
export async function listDue(
  documents: Documents,
  until: number,
  limit: number,
  after?: DueStream,
): Promise<readonly DueStream[]> {
  // The lower bound keeps documents without a place out of the range.
  const range = { place: { $gte: after?.at ?? -Infinity, $lte: until } };
  const beyond = after && { $or: [{ place: { $gt: after.at } }, { _id: { $gt: after.stream } }] };
  const options = {
    sort: { place: 1, _id: 1 },
    hint: PLACE_INDEX,
    limit,
    projection: { place: 1, partition: 1 },
  } as const;
  const found = await reaching(() => documents.find({ ...range, ...beyond }, options).toArray());
  return found.map(({ _id: stream, partition = '', place = 0 }) => ({ stream, partition, at: place }));
}
