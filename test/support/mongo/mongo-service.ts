import mongoose from 'mongoose';
import { mongodBinary } from './mongod-binary.js';
import { ReplicaSet } from './replica-set.js';

/** A MongoDB that tests use, or why there is none, and how to let go of it. */
export type MongoService = Readonly<{ uri: string; missing?: string; stop: () => Promise<void> }>;

const LOCAL = 'mongodb://127.0.0.1:27017';
const GIVEN_PATIENCE = 10_000;
const LOCAL_PATIENCE = 500;

/**
 * The MongoDB of a test run: that of `MONGODB_URI`, else the one on this machine's usual port when it is a replica set, else a private
 * one. Prints which. Throws one line that says what is missing: a test that needs MongoDB is never skipped.
 */
export async function findMongo(given = process.env['MONGODB_URI']): Promise<MongoService> {
  if (given) return foreign(await replicaSetAt(given, 'MONGODB_URI', GIVEN_PATIENCE), 'MONGODB_URI');
  const local = await replicaSetAt(LOCAL, LOCAL, LOCAL_PATIENCE).catch(() => undefined);
  return local === undefined ? privateSet() : foreign(local, LOCAL);
}

async function privateSet(): Promise<MongoService> {
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

/** The address at which the primary of a replica set answers. Throws when none does within `patience` ms. */
async function replicaSetAt(uri: string, origin: string, patience: number): Promise<string> {
  try {
    const { setName } = await hello(uri, patience);
    if (setName === undefined)
      throw new Error('it is no replica set: start mongod with --replSet and run rs.initiate()');
    if (/[?&](replicaSet|directConnection)=/.test(uri)) return uri;
    const whole = withReplicaSet(uri, setName);
    await hello(whole, patience);
    return whole;
  } catch (error) {
    throw new Error(`MongoDB: ${origin} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/** A client that knows the name finds the primary wherever it moves to. */
function withReplicaSet(uri: string, name: string): string {
  const [address = '', options] = uri.split('?');
  const path = /\/\/[^/]*\//.test(address) ? address : `${address}/`;
  return `${path}?${options ? `${options}&` : ''}replicaSet=${name}`;
}

async function hello(uri: string, patience: number): Promise<{ setName?: string }> {
  const limits = { serverSelectionTimeoutMS: patience, connectTimeoutMS: patience };
  const client = new mongoose.mongo.MongoClient(uri, limits);
  try {
    await client.connect();
    return await client.db('admin').command({ hello: 1 });
  } finally {
    await client.close();
  }
}
