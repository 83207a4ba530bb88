import mongoose, { type Connection } from 'mongoose';
import type { ParkedStream } from '../read-model-store.js';
import { readModels, type ReadModel } from '../read-model.js';
import { keyOwnerModel } from './mongo-key-owners.js';

/**
 * A stored document. `_id` is the stream, `place` its sort key. `state` is JSON: both adapters then return the same states, keys such as
 * `a.b` or `$x` mean nothing to the server, and for a ring of 1,000 keys `JSON.parse` is a third faster than decoding BSON. Only a listed
 * document has a `place`, the `partition` of its stream, and the folded `text` that it is searched by.
 */
export type ReadModelDocument = Readonly<{
  _id: string;
  version?: number;
  state?: string;
  place?: number;
  partition?: string;
  text?: string;
}>;

/** `_id` is the stream. */
export type ParkedDocument = Omit<ParkedStream, 'stream'> & Readonly<{ _id: string }>;

const PARKED_STREAMS = 'parked_streams';
export const PLACE_INDEX = 'place';
export const PARTITION_INDEX = 'partition_place';

/** The name contains the schema number, so that versions of the program never touch each other's documents. */
export const collectionNameOf = ({ name, schema }: ReadModel<unknown>) => `${name}_${schema}`;

function schemaOf(model: ReadModel<unknown>) {
  const options = { collection: collectionNameOf(model), strict: 'throw', versionKey: false } as const;
  const fields = { _id: String, version: Number, state: String };
  if (!model.sortKeyOf) return new mongoose.Schema<ReadModelDocument>(fields, options);
  const listed = { place: Number, partition: String, ...(model.textOf && { text: String }) };
  const schema = new mongoose.Schema<ReadModelDocument>({ ...fields, ...listed }, options);
  if (model.due)
    return schema.index(
      { place: 1, _id: 1 },
      { partialFilterExpression: { place: { $exists: true } }, name: PLACE_INDEX },
    );
  schema.index({ place: 1, ...(model.textOf && { text: 1 as const }) }, { sparse: true, name: PLACE_INDEX });
  return model.expires ? schema.index({ partition: 1, place: 1 }, { sparse: true, name: PARTITION_INDEX }) : schema;
}

const schemas = new Map<string, mongoose.Schema<ReadModelDocument>>();

/** Declares the collection of a read model on a connection, once. */
export function documentModel(connection: Connection, model: ReadModel<unknown>): mongoose.Model<ReadModelDocument> {
  const name = collectionNameOf(model);
  const schema = schemas.get(name) ?? schemaOf(model);
  schemas.set(name, schema);
  return connection.model<ReadModelDocument>(name, schema);
}

const parkedSchema = new mongoose.Schema<ParkedDocument>(
  { _id: String, partition: String, version: Number, error: String, at: Number },
  { collection: PARKED_STREAMS, strict: 'throw', versionKey: false },
);

export const parkedStreamModel = (connection: Connection) =>
  connection.model<ParkedDocument>(PARKED_STREAMS, parkedSchema);

export const projectionModels = (connection: Connection) => [
  ...readModels.map((model) => documentModel(connection, model)),
  parkedStreamModel(connection),
  keyOwnerModel(connection),
];
