import './typescript-sources.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { eventStore, mongoModels } from './built.mjs';

const { ReplicaSet } = await import('../../support/mongo/replica-set.ts');

/** A mongod of its own, alone in its replica set, on the disk of the machine. */
export class Server {
  #set;
  #client;

  constructor(set, client, pid) {
    this.#set = set;
    this.#client = client;
    this.pid = pid;
  }

  /** `cacheGigabytes`: what its storage engine may keep in memory. */
  static async start(cacheGigabytes = 1) {
    const set = await ReplicaSet.start(1);
    // A run that ends early leaves no server behind: it ends with this process.
    const client = await new mongoose.mongo.MongoClient(set.uri()).connect();
    const cache = { setParameter: 1, wiredTigerEngineRuntimeConfig: `cache_size=${cacheGigabytes}GB` };
    await client.db('admin').command(cache);
    const { pid } = await client.db('admin').command({ serverStatus: 1 });
    return new Server(set, client, Number(pid));
  }

  uri(database) {
    return this.#set.uri(database);
  }

  /** What was done since the start: operations by the server's own counters, and messages that carried them. */
  async counters() {
    const { opcounters, network } = await this.#client.db('admin').command({ serverStatus: 1 });
    const { insert, query, update, delete: deletes, getmore } = opcounters;
    return { operations: insert + query + update + deletes + getmore, messages: Number(network.numRequests) };
  }

  /** Writes everything to the disk, so that no round pays for the one before. */
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

/** A prepared database, as `keyfold migrate` leaves it. */
export async function migrate(uri) {
  await connected(uri, (connection) => eventStore.migrateSchema(connection, mongoModels(connection)));
}

export async function drop(uri) {
  await connected(uri, (connection) => connection.getClient().db(connection.name).dropDatabase());
}
