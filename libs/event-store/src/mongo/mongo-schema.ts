import mongoose, { type Connection, type mongo } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { collectionOf, reaching, throwingOutages } from './mongo-connection.js';

/** The database cannot be used in its present state. The message says what to do. */
export class UnusableDatabase extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableDatabase';
  }
}

/** Raise it when stored data changes so that older versions of the program must not touch it. */
const SCHEMA_VERSION = 1;
const VERSION_ID = 'keyfold';
/**
 * `filler`: the command that fills the database, and `run` its last run. The version is then one that no process accepts, of this version or
 * an earlier one.
 */
type VersionDocument = Readonly<{ _id: string; version: number; filler?: string; run?: string }>;
const UNFINISHED = 1_000_000;

type IndexDefinition = Readonly<{
  key: Record<string, unknown>;
  unique?: unknown;
  sparse?: unknown;
  expireAfterSeconds?: unknown;
  partialFilterExpression?: unknown;
  collation?: unknown;
}>;

/** The part of a mongoose model that is used here, for documents of any type. */
type Declared = Readonly<{
  schema: { indexes(): [IndexDefinition['key'], Omit<IndexDefinition, 'key'> & { name?: string }][] };
  collection: { name: string };
  db: Connection;
  createCollection(): Promise<unknown>;
}>;
type Models = readonly Declared[];

/** Creates missing collections and indexes (`keyfold migrate`). Throws `UnusableDatabase`, `StoreUnavailable`. */
export async function migrateSchema(connection: Connection, models: Models): Promise<void> {
  await requireReplicaSet(connection);
  await requireKnownVersion(connection);
  await createSchema(connection, models);
  await reaching(() =>
    versions(connection).updateOne({ _id: VERSION_ID }, { $max: { version: SCHEMA_VERSION } }, { upsert: true }),
  );
}

/**
 * Prepares an empty database, or one that the same command has begun to fill, so that no process starts on it before `endFilling`. `filler`
 * names the command, for example "keyfold restore". Returns the id of this run for `endFilling`. Throws `UnusableDatabase`, `StoreUnavailable`.
 */
export async function beginFilling(connection: Connection, models: Models, filler: string): Promise<string> {
  await requireReplicaSet(connection);
  const stored = await reaching(() => versions(connection).findOne({ _id: VERSION_ID }));
  if (stored?.filler !== filler) {
    if (stored?.filler !== undefined) throw unfinished(connection, stored.filler);
    const counts = await Promise.all(
      models.map(({ collection: { name } }) => reaching(() => collectionOf(connection, name).findOne({}))),
    );
    if (counts.some((found) => found !== null))
      throw unusable(connection, ['it contains data already'], 'Name an empty database in KEYFOLD_MONGODB_URI');
  }
  const run = randomUUID();
  const mark = { $set: { version: UNFINISHED, filler, run } };
  await reaching(() => versions(connection).updateOne({ _id: VERSION_ID }, mark, { upsert: true }));
  await createSchema(connection, models);
  return run;
}

/** Deletes what a command has written since `beginFilling`. Throws `StoreUnavailable`. */
export async function deleteDocuments(connection: Connection, models: Models): Promise<void> {
  for (const { collection } of models) await reaching(() => collectionOf(connection, collection.name).deleteMany({}));
}

/** Lets processes start on a database that `beginFilling` has prepared. Throws `UnusableDatabase` if another run fills it, `StoreUnavailable`. */
export async function endFilling(connection: Connection, run: string): Promise<void> {
  const whole = { $set: { version: SCHEMA_VERSION }, $unset: { filler: true, run: true } } as const;
  const { matchedCount } = await reaching(() => versions(connection).updateOne({ _id: VERSION_ID, run }, whole));
  if (matchedCount === 0) throw unusable(connection, ['another run of the command fills it, too'], 'Wait for that run');
}

async function createSchema(connection: Connection, models: Models): Promise<void> {
  const { changed } = await indexProblems(models);
  if (changed.length > 0) throw unusable(connection, changed, 'Then run this command again');
  for (const model of models) {
    await reaching(() => model.createCollection());
    await makeIndexes(connection, model);
  }
}

/** Throws `UnusableDatabase` if the database does not match this version of the program, and `StoreUnavailable`. */
export async function requireSchema(connection: Connection, models: Models): Promise<void> {
  await requireReplicaSet(connection);
  const version = await requireKnownVersion(connection);
  const migrate = '"keyfold migrate" with the settings of this process';
  if (version === undefined) throw unusable(connection, ['it was never migrated'], `Run ${migrate}`);
  const { missing, changed } = await indexProblems(models);
  if (changed.length > 0) throw unusable(connection, [...missing, ...changed], `Then run ${migrate}`);
  if (missing.length > 0) throw unusable(connection, missing, `Run ${migrate}`);
}

const unusable = ({ name }: Connection, problems: readonly string[], advice: string) =>
  new UnusableDatabase(`the database "${name}" cannot be used: ${problems.join('; ')}. ${advice}`);

const unfinished = (connection: Connection, filler: string) =>
  unusable(connection, [`"${filler}" has not finished filling it`], 'Finish that command, or drop the database');

/** Error codes: an index with the same keys has a different name, or one with the same name has different keys. */
const INDEX_CONFLICTS = new Set<unknown>([85, 86]);
const DUPLICATE_KEY = 11_000;

/** Building an index takes minutes in a large collection. The driver passes the option on, although its types lack it. */
const UNTIMED: mongo.CreateIndexesOptions & { socketTimeoutMS: number } = { socketTimeoutMS: 0 };

/** Creates all indexes of a collection in one pass over its documents. */
async function makeIndexes(connection: Connection, model: Declared): Promise<void> {
  const { name } = model.collection;
  const indexes = model.schema.indexes().map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription);
  if (indexes.length === 0) return;
  try {
    await throwingOutages(() => collectionOf(connection, name).createIndexes(indexes, UNTIMED));
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoServerError)) throw error;
    if (INDEX_CONFLICTS.has(error.code))
      throw unusable(
        connection,
        [`an existing index of ${name} conflicts: ${error.message}`],
        'Drop it, then run this command again',
      );
    if (error.code === DUPLICATE_KEY)
      throw unusable(
        connection,
        [`${name} has duplicates because a unique index was dropped: ${error.message}`],
        'Restore a backup from before the index was dropped',
      );
    throw error;
  }
}

/**
 * Change streams and majority writes need a replica set; one server with `--replSet` is enough. Behind a mongos, `PrimaryBarrier` would not
 * notice that the primary changed.
 */
async function requireReplicaSet(connection: Connection): Promise<void> {
  const hello = await reaching(() => connection.getClient().db('admin').command({ hello: 1 }));
  if (hello['setName'] !== undefined) return;
  if (hello['msg'] === 'isdbgrid')
    throw new UnusableDatabase(
      'MongoDB is a sharded cluster, behind whose mongos a read can miss acknowledged writes. Name the servers of one replica set in KEYFOLD_MONGODB_URI',
    );
  throw new UnusableDatabase(
    'MongoDB is a standalone server, which can lose acknowledged writes. Start mongod with --replSet rs0, then run rs.initiate() once',
  );
}

async function requireKnownVersion(connection: Connection): Promise<number | undefined> {
  const stored = await reaching(() => versions(connection).findOne({ _id: VERSION_ID }));
  if (!stored || stored.version <= SCHEMA_VERSION) return stored?.version;
  if (stored.filler !== undefined) throw unfinished(connection, stored.filler);
  throw new UnusableDatabase(
    `the database "${connection.name}" has schema ${stored.version}, but this version only supports schema ${SCHEMA_VERSION}. Start the newer version again, or restore the backup from before the upgrade`,
  );
}

const versions = (connection: Connection) => collectionOf<VersionDocument>(connection, 'schema');

/** Compares names, keys and options: without its unique indexes the store would be corrupted silently. */
async function indexProblems(models: Models): Promise<{ missing: string[]; changed: string[] }> {
  const missing: string[] = [];
  const changed: string[] = [];
  const existing = await Promise.all(models.map(async (model) => ({ model, found: await existingIndexes(model) })));
  for (const { model, found } of existing) {
    const { name: collection } = model.collection;
    for (const [key, options] of model.schema.indexes()) {
      const index = found.find(({ name }) => name === options.name);
      if (!index) missing.push(`index ${options.name} of ${collection} is missing`);
      else if (definitionOf({ ...options, key }) !== definitionOf(index))
        changed.push(
          `index ${options.name} of ${collection} differs from the one that keyfold creates: drop it with ` +
            `db.${collection}.dropIndex("${options.name}") in mongosh`,
        );
    }
  }
  return { missing, changed };
}

/** Returns no indexes for a collection that does not exist. */
async function existingIndexes({ db, collection: { name } }: Declared) {
  try {
    return await reaching(() => collectionOf(db, name).indexes());
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.codeName === 'NamespaceNotFound') return [];
    throw error;
  }
}

/** Serializes the properties that identify an index; a missing flag counts as false. */
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
