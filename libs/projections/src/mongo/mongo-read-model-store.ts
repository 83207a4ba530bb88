import { collectionOf, reaching } from '@keyfold/event-store/mongo';
import type { Connection, mongo } from 'mongoose';
import type { Loaded } from '../fold.js';
import type { KeyOwner } from '../key-owners/key-owner.js';
import {
  ReadModelStore,
  type DueStream,
  type Page,
  type ParkedStream,
  type StoredDocument,
  type Unexpired,
} from '../read-model-store.js';
import { readModelOf, type ReadModel } from '../read-model.js';
import type { StreamRef } from '../stream-ref.js';
import { DocumentReader } from './document-reader.js';
import { DocumentWriter } from './document-writer.js';
import { buildUpsert } from './document-writes.js';
import { listDue, readPage, unexpiredList, wholeList, type ListRange } from './list-pages.js';
import { MongoKeyOwners } from './mongo-key-owners.js';
import { collectionNameOf, PARKED_STREAMS, type ParkedDocument, type ReadModelDocument } from './read-model.model.js';

/** The collection of one read model. */
type ModelStorage = Readonly<{
  documents: mongo.Collection<ReadModelDocument>;
  reader: DocumentReader;
  writer: DocumentWriter;
}>;

/** The read models of any number of processes, in a MongoDB replica set. The connection must have the `connectOptions`. */
export class MongoReadModelStore extends ReadModelStore {
  readonly #parked: mongo.Collection<ParkedDocument>;
  readonly #keyOwners: MongoKeyOwners;
  readonly #storages = new Map<string, ModelStorage>();

  constructor(private readonly connection: Connection) {
    super();
    this.#parked = collectionOf<ParkedDocument>(connection, PARKED_STREAMS);
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

  list<State>(
    model: ReadModel<State>,
    offset: number,
    limit: number,
    takes?: (state: State) => boolean,
  ): Promise<Page<State>> {
    return this.#page(model, wholeList, offset, limit, takes);
  }

  listUnexpired<State>(
    model: ReadModel<State>,
    unexpired: Unexpired,
    offset: number,
    limit: number,
    takes?: (state: State) => boolean,
  ): Promise<Page<State>> {
    return this.#page(model, unexpiredList(unexpired), offset, limit, takes);
  }

  async listDue(
    model: ReadModel<unknown>,
    until: number,
    limit: number,
    after?: DueStream,
  ): Promise<readonly DueStream[]> {
    return listDue(this.#storageOf(model).documents, until, limit, after);
  }

  addKeyOwners(owners: readonly KeyOwner[]): Promise<void> {
    return this.#keyOwners.add(owners);
  }

  missingKeyOwners(owners: readonly KeyOwner[]): Promise<KeyOwner[]> {
    return this.#keyOwners.missing(owners);
  }

  keyOwners(prefix: number, after: number, limit: number): Promise<readonly number[]> {
    return this.#keyOwners.find(prefix, after, limit);
  }

  async documents(model: ReadModel<unknown>, after: string, limit: number): Promise<StoredDocument[]> {
    const { documents } = this.#storageOf(model);
    const found = await reaching(() => documents.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit }).toArray());
    return found.map(({ _id: stream, version = 0, place = null, state = 'null' }) => ({
      stream,
      version,
      sortKey: place,
      state: JSON.parse(state),
    }));
  }

  async park({ stream, ...parked }: ParkedStream): Promise<void> {
    const update = { $set: parked };
    await reaching(() => this.#parked.updateOne({ _id: stream }, update, { upsert: true }));
  }

  async unpark({ stream, version, at }: ParkedStream): Promise<void> {
    await reaching(() => this.#parked.deleteOne({ _id: stream, version, at }));
  }

  async parked(): Promise<ParkedStream[]> {
    const found = await reaching(() => this.#parked.find({}, { sort: { at: 1 } }).toArray());
    return found.map(({ _id: stream, ...parked }) => ({ stream, ...parked }));
  }

  /** Finishes accepted writes. The caller closes the connection. */
  async close(): Promise<void> {
    await Promise.all([...this.#storages.values()].map(({ writer }) => writer.idle()));
  }

  async #page<State>(
    model: ReadModel<State>,
    range: ListRange,
    offset: number,
    limit: number,
    takes: (state: State) => boolean = () => true,
  ): Promise<Page<State>> {
    const items: State[] = [];
    const total = await readPage(this.#storageOf(model).documents, range, offset, limit, (text) => {
      const state = JSON.parse(text) as State;
      return takes(state) && items.push(state) > 0;
    });
    return { items, total };
  }

  #storageOf(model: ReadModel<unknown>): ModelStorage {
    const name = collectionNameOf(model);
    let storage = this.#storages.get(name);
    if (!storage) {
      const documents = collectionOf<ReadModelDocument>(this.connection, name);
      storage = {
        documents,
        reader: new DocumentReader(documents),
        writer: new DocumentWriter(documents),
      };
      this.#storages.set(name, storage);
    }
    return storage;
  }
}
