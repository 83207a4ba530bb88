import mongoose, { type Connection } from 'mongoose';
import type { ParkedStream } from '../read-model-store.js';
import { readModels, type ReadModel } from '../read-model.js';

/** How a stream came into its model's list and left it; `place` is the one that it has or had, `changes` the times, the first an entry. */
export type Listing = Readonly<{
  place: number;
  changes: readonly mongoose.mongo.Timestamp[];
  at: mongoose.mongo.Timestamp;
}>;

/**
 * A document as it is stored; `_id` is the stream. `state` is JSON text: a state comes back exactly as from the embedded store, keys
 * such as `a.b` or `$x` mean nothing to the server, and of a ring of 1,000 keys `JSON.parse` costs a third less than decoding BSON.
 * A document without a state was removed; it stays because of its `listing`.
 */
export type ReadModelDocument = Readonly<{
  _id: string;
  version?: number;
  state?: string;
  place?: number;
  listing?: Listing;
}>;

/** `_id` is the stream. */
export type ParkedDocument = Omit<ParkedStream, 'stream'> & Readonly<{ _id: string }>;

export const PARKED_STREAMS = 'parked_streams';
/** The list in its order. */
export const PLACE_INDEX = 'place';

/** The schema number stands in the name, so that versions of the program never touch each other's documents. */
export const collectionNameOf = ({ name, schema }: ReadModel<unknown>) => `${name}_${schema}`;

function schemaOf(model: ReadModel<unknown>) {
  const options = { collection: collectionNameOf(model), strict: 'throw', versionKey: false } as const;
  const fields = { _id: String, version: Number, state: String };
  if (!model.sortKeyOf) return new mongoose.Schema<ReadModelDocument>(fields, options);
  return new mongoose.Schema<ReadModelDocument>({ ...fields, place: Number, listing: Object }, options)
    .index({ place: 1 }, { sparse: true, name: PLACE_INDEX })
    .index({ 'listing.at': 1 }, { sparse: true, name: 'listing_at' });
}

const schemas = readModels.map((model) => ({ name: collectionNameOf(model), schema: schemaOf(model) }));

const parkedSchema = new mongoose.Schema<ParkedDocument>(
  { _id: String, partition: String, version: Number, error: String, at: Number },
  { collection: PARKED_STREAMS, strict: 'throw', versionKey: false },
);

/** The collections of the read models and of the parked streams, declared on a connection. */
export const projectionModels = (connection: Connection) => [
  ...schemas.map(({ name, schema }) => connection.model(name, schema)),
  connection.model(PARKED_STREAMS, parkedSchema),
];
