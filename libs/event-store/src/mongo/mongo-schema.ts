import mongoose, { type Connection } from 'mongoose';
import { collectionOf, reaching } from './mongo-connection.js';

/** The database cannot be used as it is; the message says what to do. */
export class UnusableDatabase extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableDatabase';
  }
}

/** Raised when stored data changes its shape so that older programs must not touch it. */
const SCHEMA_VERSION = 1;
const VERSION_ID = 'keyfold';
type VersionDocument = Readonly<{ _id: string; version: number }>;

type IndexDefinition = Readonly<{
  key: Record<string, unknown>;
  unique?: unknown;
  sparse?: unknown;
  expireAfterSeconds?: unknown;
  partialFilterExpression?: unknown;
  collation?: unknown;
}>;

/** What the schema needs of a mongoose model, whatever its documents. */
type Declared = Readonly<{
  schema: { indexes(): [IndexDefinition['key'], Omit<IndexDefinition, 'key'> & { name?: string }][] };
  collection: { name: string };
  db: Connection;
  createCollection(): Promise<unknown>;
  createIndexes(): Promise<unknown>;
}>;
type Models = readonly Declared[];

/** Makes the collections and indexes that are missing (`keyfold migrate`). Throws `UnusableDatabase`, `StoreUnavailable`. */
export async function migrateSchema(connection: Connection, models: Models): Promise<void> {
  await requireReplicaSet(connection);
  await requireKnownVersion(connection);
  for (const model of models) {
    await reaching(() => model.createCollection());
    await reaching(() => model.createIndexes());
  }
  await reaching(() =>
    versions(connection).updateOne({ _id: VERSION_ID }, { $set: { version: SCHEMA_VERSION } }, { upsert: true }),
  );
}

/** Refuses a database that this program would damage or be damaged by. Throws `UnusableDatabase`, `StoreUnavailable`. */
export async function requireSchema(connection: Connection, models: Models): Promise<void> {
  await requireReplicaSet(connection);
  const version = await requireKnownVersion(connection);
  const problems = version === undefined ? ['it was never prepared'] : await indexProblems(models);
  if (problems.length === 0) return;
  throw new UnusableDatabase(
    `the database "${connection.name}" cannot be used: ${problems.join('; ')}. Run "keyfold migrate" with the settings of this process`,
  );
}

/** Change streams and majority writes need one; a single server with `--replSet` is enough. */
async function requireReplicaSet(connection: Connection): Promise<void> {
  const hello = await reaching(() => connection.getClient().db('admin').command({ hello: 1 }));
  if (hello['setName'] !== undefined || hello['msg'] === 'isdbgrid') return;
  throw new UnusableDatabase(
    'MongoDB runs as a standalone server, which cannot keep acknowledged writes safe: start mongod with --replSet rs0 and run rs.initiate() once',
  );
}

async function requireKnownVersion(connection: Connection): Promise<number | undefined> {
  const stored = await reaching(() => versions(connection).findOne({ _id: VERSION_ID }));
  if (!stored || stored.version <= SCHEMA_VERSION) return stored?.version;
  throw new UnusableDatabase(
    `the database "${connection.name}" was written by a newer version of keyfold (schema ${stored.version}, this one knows ${SCHEMA_VERSION}): run that version or a later one`,
  );
}

const versions = (connection: Connection) => collectionOf<VersionDocument>(connection, 'schema');

/** A unique index that is missing or changed corrupts the store silently, so names, keys and options must be the declared ones. */
async function indexProblems(models: Models): Promise<string[]> {
  const problems: string[] = [];
  for (const model of models) {
    const found = await existingIndexes(model);
    for (const [key, options] of model.schema.indexes()) {
      const index = found.find(({ name }) => name === options.name);
      if (!index) problems.push(`index ${options.name} of ${model.collection.name} is missing`);
      else if (definitionOf({ ...options, key }) !== definitionOf(index))
        problems.push(`index ${options.name} of ${model.collection.name} is not the one that keyfold made: drop it`);
    }
  }
  return problems;
}

/** A collection that was never made has none. */
async function existingIndexes({ db, collection: { name } }: Declared) {
  const indexes = await reaching(() =>
    collectionOf(db, name)
      .indexes()
      .catch((error: unknown) => (isMissing(error) ? [] : Promise.reject(error))),
  );
  return indexes;
}

const isMissing = (error: unknown) =>
  error instanceof mongoose.mongo.MongoServerError && error.codeName === 'NamespaceNotFound';

/** What makes an index the one that was declared, as text; what is not set is as good as false. */
const definitionOf = ({ key, unique, sparse, ...others }: IndexDefinition) => {
  const { expireAfterSeconds, partialFilterExpression, collation } = others;
  return JSON.stringify([
    key,
    unique ?? false,
    sparse ?? false,
    expireAfterSeconds,
    partialFilterExpression,
    collation,
  ]);
};
