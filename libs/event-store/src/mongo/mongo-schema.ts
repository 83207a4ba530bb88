import type { Connection } from 'mongoose';
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

/** What the schema needs of a mongoose model, whatever its documents. */
type Declared = Readonly<{
  schema: { indexes(): [Record<string, unknown>, { name?: string; unique?: unknown; sparse?: unknown }][] };
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
    for (const [keys, { name, unique = false, sparse = false }] of model.schema.indexes()) {
      const index = found.find((each) => each.name === name);
      if (!index) problems.push(`index ${name} of ${model.collection.name} is missing`);
      else if (
        JSON.stringify(index.key) !== JSON.stringify(keys) ||
        (index.unique ?? false) !== unique ||
        (index.sparse ?? false) !== sparse
      ) {
        problems.push(`index ${name} of ${model.collection.name} is not the one that keyfold made: drop it`);
      }
    }
  }
  return problems;
}

async function existingIndexes(model: Models[number]) {
  const { name } = model.collection;
  const collections = await reaching(() => model.db.listCollections());
  return collections.some((collection) => collection.name === name)
    ? reaching(() => collectionOf(model.db, name).indexes())
    : [];
}
