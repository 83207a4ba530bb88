import '../../support/typescript-sources.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { eventStore, mongoModels } from './built.mjs';

const { ReplicaSet } = await import('../../support/mongo/replica-set.ts');

/** A private mongod, the only member of its replica set, on the disk of this machine. */
export class Server {
  #set;
  #client;

  constructor(set, client, pid) {
    this.#set = set;
    this.#client = client;
    this.pid = pid;
  }

  /** `cacheGigabytes` is the size of the storage engine's cache. */
  static async start(cacheGigabytes = 1) {
    const set = await ReplicaSet.start(1);
    // The mongod ends with this process, even if a run ends early.
    const client = await new mongoose.mongo.MongoClient(set.uri()).connect();
    const cache = { setParameter: 1, wiredTigerEngineRuntimeConfig: `cache_size=${cacheGigabytes}GB` };
    await client.db('admin').command(cache);
    const { pid } = await client.db('admin').command({ serverStatus: 1 });
    return new Server(set, client, Number(pid));
  }

  uri(database) {
    return this.#set.uri(database);
  }

  /** Returns the server's counts since its start: operations, and the messages that carried them. */
  async counters() {
    const { opcounters, network } = await this.#client.db('admin').command({ serverStatus: 1 });
    const { insert, query, update, delete: deletes, getmore } = opcounters;
    const operations = insert + query + update + deletes + getmore;
    return { operations, messages: Number(network.numRequests), finds: query };
  }

  /** Flushes everything to the disk, so that no round pays for the previous one. */
  async settle() {
    await this.#client.db('admin').command({ fsync: 1 });
    await pause(500);
  }

  async stop() {
    await this.#client.close();
    await this.#set.stop();
  }
}

/** Runs `work` on a connection with the options of the service. */
export async function connected(uri, work) {
  const connection = await mongoose.createConnection(uri, eventStore.connectOptions).asPromise();
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Prepares a database like `keyfold migrate`. */
export async function migrate(uri) {
  await connected(uri, (connection) => eventStore.migrateSchema(connection, mongoModels(connection)));
}

export async function drop(uri) {
  await connected(uri, (connection) => connection.getClient().db(connection.name).dropDatabase());
}
