import { collectionOf, reaching } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type Model, type QueryFilter } from 'mongoose';
import type { Loaded } from '../loading/fold.js';
import type { StreamRef } from '../loading/stream-ref.js';
import type { KeyOwner } from '../projecting/key-owners.js';
import {
  ReadModelStore,
  SearchTimeout,
  type DueStream,
  type ListSelection,
  type Page,
  type ParkedStream,
  type StoredDocument,
  type Unexpired,
} from '../read-model-store.js';
import { foldCase, formerNamesOf, readModelOf, type ReadModel } from '../read-model.js';
import { DocumentReader, DocumentWriter, buildUpsert } from './documents.js';
import { MongoKeyOwners } from './mongo-key-owners.js';
import {
  collectionNameOf,
  documentModel,
  parkedStreamModel,
  type ParkedDocument,
  type ReadModelDocument,
  PARTITION_INDEX,
  PLACE_INDEX,
} from './read-model.model.js';

/** The collection of one read model. */
type ModelStorage = Readonly<{
  documents: Model<ReadModelDocument>;
  reader: DocumentReader;
  writer: DocumentWriter;
}>;

/** The documents of a list, the index that finds and counts them, and their order. */
type ListRange = Readonly<{ filter: QueryFilter<ReadModelDocument>; hint: string; sort: { place: 1 | -1 } }>;

const wholeList = (descending: boolean): ListRange => ({
  filter: { place: { $gte: -Infinity } },
  hint: PLACE_INDEX,
  sort: { place: descending ? -1 : 1 },
});

/** Milliseconds that a search may take: less than the connection waits for an answer. */
const SEARCH_TIMEOUT = 4_000;
const MAX_TIME_EXPIRED = 50;

type Found = Readonly<{ counted: readonly { total: number }[]; places: readonly { place: number }[] }>;

const unexpiredList = ({ after, partition }: Unexpired): ListRange => ({
  filter: { place: { $gt: after }, ...(partition !== undefined && { partition }) },
  hint: partition === undefined ? PLACE_INDEX : PARTITION_INDEX,
  sort: { place: -1 },
});

/** The read models of any number of processes, in a MongoDB replica set. The connection must have the `connectOptions`. */
export class MongoReadModelStore extends ReadModelStore {
  readonly #parked: Model<ParkedDocument>;
  readonly #keyOwners: MongoKeyOwners;
  readonly #storages = new Map<string, ModelStorage>();

  constructor(private readonly connection: Connection) {
    super();
    this.#parked = parkedStreamModel(connection);
    this.#keyOwners = new MongoKeyOwners(connection);
  }

  async get(refs: readonly StreamRef<unknown>[]): Promise<Map<string, Loaded<unknown>>> {
    const byModel = [...Map.groupBy(refs, readModelOf)];
    const found = await Promise.all(
      byModel.map(([model, asked]) => this.#storageOf(model).reader.read(asked.map(({ stream }) => stream))),
    );
    const loaded = new Map<string, Loaded<unknown>>();
    byModel.forEach(([, asked], index) => {
      for (const { stream } of asked) {
        const { version, state } = found[index]!.get(stream) ?? {};
        if (version !== undefined && state !== undefined) loaded.set(stream, { version, state: JSON.parse(state) });
      }
    });
    return loaded;
  }

  async put<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void> {
    await this.#storageOf(readModelOf(ref)).writer.write(buildUpsert(ref, document, '$lt'));
  }

  async replace<State>(ref: StreamRef<State>, document: Loaded<State>): Promise<void> {
    await this.#storageOf(readModelOf(ref)).writer.write(buildUpsert(ref, document, '$lte'));
  }

  async remove(ref: StreamRef<unknown>, version: number): Promise<void> {
    const filter = { _id: ref.stream, version };
    await this.#storageOf(readModelOf(ref)).writer.write({ deleteOne: { filter } });
  }

  async removeFormer(refs: readonly StreamRef<unknown>[]): Promise<void> {
    for (const [model, removed] of Map.groupBy(refs, readModelOf)) {
      const $in = removed.map(({ stream }) => stream);
      for (const name of formerNamesOf(model)) {
        const former = collectionOf<ReadModelDocument>(this.connection, name);
        await reaching(() => former.deleteMany({ _id: { $in } }));
      }
    }
  }

  list<State>(
    model: ReadModel<State>,
    offset: number,
    limit: number,
    takes?: (state: State) => boolean,
    { search = '', descending = false }: ListSelection = {},
  ): Promise<Page<State>> {
    const list = wholeList(descending);
    if (search === '') return this.#page(model, list, offset, limit, takes);
    return this.#search(model, search, list, offset, limit, takes);
  }

  listUnexpired<State>(
    model: ReadModel<State>,
    unexpired: Unexpired,
    offset: number,
    limit: number,
  ): Promise<Page<State>> {
    return this.#page(model, unexpiredList(unexpired), offset, limit);
  }

  async listDue(
    model: ReadModel<unknown>,
    until: number,
    limit: number,
    after?: DueStream,
  ): Promise<readonly DueStream[]> {
    // The lower bound keeps documents without a place out of the range.
    const range = { place: { $gte: after?.at ?? -Infinity, $lte: until } };
    const beyond = after && { $or: [{ place: { $gt: after.at } }, { _id: { $gt: after.stream } }] };
    const { documents } = this.#storageOf(model);
    const due = documents.find({ ...range, ...beyond }, { place: 1, partition: 1 }).hint(PLACE_INDEX);
    const found = await reaching(() => due.sort({ place: 1, _id: 1 }).limit(limit).lean().exec());
    return found.map(({ _id: stream, partition = '', place = 0 }) => ({ stream, partition, at: place }));
  }

  addKeyOwners(owners: readonly KeyOwner[]): Promise<void> {
    return this.#keyOwners.add(owners);
  }

  removeKeyOwners(owners: readonly KeyOwner[]): Promise<void> {
    return this.#keyOwners.remove(owners);
  }

  missingKeyOwners(owners: readonly KeyOwner[]): Promise<KeyOwner[]> {
    return this.#keyOwners.missing(owners);
  }

  keyOwners(prefix: number, after: number, limit: number): Promise<readonly number[]> {
    return this.#keyOwners.find(prefix, after, limit);
  }

  async documents(model: ReadModel<unknown>, after: string, limit: number): Promise<StoredDocument[]> {
    const { documents } = this.#storageOf(model);
    const following = documents
      .find({ _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(limit);
    const found = await reaching(() => following.lean().exec());
    return found.map(({ _id: stream, version = 0, place = null, text = null, state = 'null' }) => ({
      stream,
      version,
      sortKey: place,
      text,
      state: JSON.parse(state),
    }));
  }

  async park({ stream, ...parked }: ParkedStream): Promise<void> {
    const update = { $set: parked };
    await reaching(() => this.#parked.updateOne({ _id: stream }, update, { upsert: true }).exec());
  }

  async unpark({ stream, version, at }: ParkedStream): Promise<void> {
    await reaching(() => this.#parked.deleteOne({ _id: stream, version, at }).exec());
  }

  async parked(stream?: string): Promise<ParkedStream[]> {
    const filter = stream === undefined ? {} : { _id: stream };
    const found = await reaching(() => this.#parked.find(filter).sort({ at: 1 }).lean().exec());
    return found.map(parkedStream);
  }

  async parkedPage(offset: number, limit: number): Promise<Page<ParkedStream>> {
    const page = this.#parked.find().sort({ at: 1, _id: 1 }).skip(offset).limit(limit).lean();
    const [total, found] = await Promise.all([
      reaching(() => this.#parked.countDocuments().exec()),
      limit === 0 ? [] : reaching(() => page.exec()),
    ]);
    return { items: found.map(parkedStream), total };
  }

  /** Finishes accepted writes. The caller closes the connection. */
  async close(): Promise<void> {
    await Promise.all([...this.#storages.values()].map(({ writer }) => writer.idle()));
  }

  async #page<State>(
    model: ReadModel<State>,
    { filter, hint, sort }: ListRange,
    offset: number,
    limit: number,
    takes: (state: State) => boolean = () => true,
  ): Promise<Page<State>> {
    const { documents } = this.#storageOf(model);
    const page = documents.find(filter, { state: 1 }).hint(hint).sort(sort).skip(offset).limit(limit);
    const [total, items] = await Promise.all([
      reaching(() => documents.countDocuments(filter).hint(hint).exec()),
      limit === 0 ? [] : readStates(page.lean().cursor(), takes),
    ]);
    return { items, total };
  }

  /** The index contains the texts, so one walk over it both counts what matches and finds the page. */
  async #search<State>(
    model: ReadModel<State>,
    search: string,
    { filter, hint, sort }: ListRange,
    offset: number,
    limit: number,
    takes: (state: State) => boolean = () => true,
  ): Promise<Page<State>> {
    const { documents } = this.#storageOf(model);
    const page = [{ $skip: offset }, { $limit: Math.max(1, limit) }, { $project: { _id: 0, place: 1 } }];
    const walk = documents
      .aggregate<Found>()
      .match({ ...filter, text: { $regex: patternOf(foldCase(search)) } })
      .sort(sort)
      .facet({ counted: [{ $count: 'total' }], places: page })
      .option({ hint, maxTimeMS: SEARCH_TIMEOUT });
    const [found] = await reaching(() => walk.exec().catch(throwTimeout));
    const $in = found!.places.slice(0, limit).map(({ place }) => place);
    const states = documents.find({ place: { $in } }, { state: 1 }).hint(hint).sort(sort);
    const items = $in.length === 0 ? [] : await readStates(states.lean().cursor(), takes);
    return { items, total: found!.counted[0]?.total ?? 0 };
  }

  #storageOf(model: ReadModel<unknown>): ModelStorage {
    const name = collectionNameOf(model);
    let storage = this.#storages.get(name);
    if (!storage) {
      const documents = documentModel(this.connection, model);
      const collection = collectionOf<ReadModelDocument>(this.connection, name);
      storage = { documents, reader: new DocumentReader(collection), writer: new DocumentWriter(collection) };
      this.#storages.set(name, storage);
    }
    return storage;
  }
}

/** Reads the states up to the first that `takes` refuses. */
function readStates<State>(
  documents: AsyncIterable<Pick<ReadModelDocument, 'state'>>,
  takes: (state: State) => boolean,
): Promise<State[]> {
  return reaching(async () => {
    const items: State[] = [];
    for await (const { state: text } of documents) {
      if (text === undefined) continue;
      const state = JSON.parse(text) as State;
      if (!takes(state)) break;
      items.push(state);
    }
    return items;
  });
}

const parkedStream = ({ _id: stream, ...parked }: ParkedDocument): ParkedStream => ({ stream, ...parked });

/** Returns a regular expression for a text. The server refuses one that contains a NUL. */
const patternOf = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\u0000', '\\x00');

function throwTimeout(error: unknown): never {
  const isTimeout = error instanceof mongoose.mongo.MongoServerError && error.code === MAX_TIME_EXPIRED;
  throw isTimeout ? new SearchTimeout(SEARCH_TIMEOUT) : error;
}
