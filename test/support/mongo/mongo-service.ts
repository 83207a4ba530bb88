import mongoose from 'mongoose';

/** The MongoDB of the tests, or the reason why there is none, with a function that releases it. */
export type MongoService = Readonly<{ uri: string; missing?: string; stop: () => Promise<void> }>;

const LOCAL = 'mongodb://127.0.0.1:27017';
const GIVEN_TIMEOUT = 10_000;
const LOCAL_TIMEOUT = 500;

/**
 * Finds the MongoDB of a test run: that of `MONGODB_URI`, else a replica set on the default port of this machine, else
 * a private one. Prints which one it uses. Rejects with a one-line error that names what is missing.
 */
export async function findMongo(given = process.env['MONGODB_URI']): Promise<MongoService> {
  if (given) return foreign(await replicaSetAt(given, 'MONGODB_URI', GIVEN_TIMEOUT), 'MONGODB_URI');
  const local = await replicaSetAt(LOCAL, LOCAL, LOCAL_TIMEOUT).catch(() => undefined);
  return local === undefined ? privateSet() : foreign(local, LOCAL);
}

async function privateSet(): Promise<MongoService> {
  // Imported here, because these modules need mongod, which the other two ways do not.
  const [{ mongodBinary }, { ReplicaSet }] = await Promise.all([import('./mongod.js'), import('./replica-set.js')]);
  const { description } = mongodBinary();
  const set = await ReplicaSet.start(1);
  report(`private replica set, ${description}`);
  return { uri: set.uri(), stop: () => set.stop() };
}

function foreign(uri: string, origin: string): MongoService {
  report(`the replica set of ${origin}`);
  return { uri, stop: async () => {} };
}

const report = (what: string) => console.log(`MongoDB: ${what}`);

/** Returns the address of a replica set whose primary answers. Throws if none answers within `timeout` ms. */
async function replicaSetAt(uri: string, origin: string, timeout: number): Promise<string> {
  try {
    const { setName } = await hello(uri, timeout);
    if (setName === undefined) throw new Error('not a replica set: start mongod with --replSet and run rs.initiate()');
    if (/[?&](replicaSet|directConnection)=/.test(uri)) return uri;
    const whole = withReplicaSet(uri, setName);
    await hello(whole, timeout);
    return whole;
  } catch (error) {
    throw new Error(`MongoDB: ${origin} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/** Adds the replica set name, so that clients follow the primary. */
function withReplicaSet(uri: string, name: string): string {
  const [address = '', options] = uri.split('?');
  const path = /\/\/[^/]*\//.test(address) ? address : `${address}/`;
  return `${path}?${options ? `${options}&` : ''}replicaSet=${name}`;
}

async function hello(uri: string, timeout: number): Promise<{ setName?: string }> {
  const limits = { serverSelectionTimeoutMS: timeout, connectTimeoutMS: timeout };
  const client = new mongoose.mongo.MongoClient(uri, limits);
  try {
    await client.connect();
    return await client.db('admin').command({ hello: 1 });
  } finally {
    await client.close();
  }
}
